package report

import (
	"strings"

	"sonde/probe"
)

// clean makes a text that came from a file, or a file's name, fit for a line of a log. What CI programs
// would take for a command within a line is broken up.
func clean(s string) string { return commands.Replace(probe.Printable(s)) }

// commands are what GitHub, Azure Pipelines and TeamCity obey wherever it stands in a line.
var commands = strings.NewReplacer("##[", `#\x23[`, "##vso[", `#\x23vso[`, "##teamcity[", `#\x23teamcity[`)
