package status

import (
	"time"

	"sonde/probe"
)

// maxText is how many characters of a text are kept.
const maxText = 300

// clean is the text of an error as it may be shown; empty without one. The text may be made by a target.
func clean(err error) string {
	if err == nil {
		return ""
	}
	return cleanText(err.Error())
}

func cleanText(s string) string { return probe.Shorten(probe.Line(s), maxText) }

// roughly rounds to what a reader can tell apart: three digits, and whole seconds above.
func roughly(d time.Duration) string {
	for unit := time.Duration(1); unit < time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}
