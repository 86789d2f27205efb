package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"sonde/schema"
)

// writeText writes a line for each finding, with the place first, so that editors find it, and the rule
// last, for --explain.
func writeText(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	for _, p := range r.all() {
		fmt.Fprintln(b, line(p))
	}
	return b.Flush()
}

// line is a finding on one line. One that begins with :: would be a command to GitHub Actions.
func line(p schema.Problem) string {
	s := clean(fmt.Sprintf("%s [%s]", p, p.Rule))
	if strings.HasPrefix(strings.TrimSpace(s), "::") {
		s = "./" + strings.TrimSpace(s)
	}
	return s
}
