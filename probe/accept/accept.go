// Package accept reads the headers in which a client says what it takes, and how gladly: Accept, Accept-Encoding.
package accept

import (
	"iter"
	"strconv"
	"strings"
)

// Elements are the elements of such a header, of all its lines: what is taken, in lower case and without its
// parameters, and its weight, from 0, not at all, to 1. It is 1 where none stands, and 0 where it cannot be read.
func Elements(lines []string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, line := range lines {
			for element := range strings.SplitSeq(line, ",") {
				name, params, _ := strings.Cut(element, ";")
				if !yield(strings.ToLower(strings.TrimSpace(name)), weight(params)) {
					return
				}
			}
		}
	}
}

// weight is that of an element (RFC 9110, section 12.4.2).
func weight(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && q >= 0 && q <= 1 {
			return q
		}
		return 0
	}
	return 1
}
