package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// span is a flag's duration: Go's form, and Prometheus' units d and w.
type span time.Duration

// longestSpan bounds a flag's duration as the files bound theirs: two of them can be added.
const longestSpan = time.Duration(1<<63-1) / 2

var spanForm = regexp.MustCompile(`^(?:(\d+)w)?(?:(\d+)d)?((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))*)$`)

// UnmarshalText reads 90s, 1m30s, 1d or 1w2d12h; it must be above 0.
func (s *span) UnmarshalText(text []byte) error {
	word := strings.TrimPrefix(string(text), "-")
	m := spanForm.FindStringSubmatch(word)
	if m == nil {
		if bareNumber.MatchString(word) {
			return fmt.Errorf("%q has no unit, want one such as %ss", text, text)
		}
		return fmt.Errorf("%q is no duration, want one such as 30s or 1m30s", text)
	}
	d, ok := addSpans(m)
	switch {
	case word != string(text) || ok && d == 0:
		return fmt.Errorf("%q is not above 0", text)
	case !ok:
		return fmt.Errorf("%q is too long, want less than 146 years", text)
	}
	*s = span(d)
	return nil
}

// bareNumber is a duration whose last number has no unit.
var bareNumber = regexp.MustCompile(`^(?:\d+w)?(?:\d+d)?\d+(?:\.\d*)?$`)

// addSpans adds what spanForm has found; ok is false of what is over longestSpan.
func addSpans(m []string) (sum time.Duration, ok bool) {
	const day = 24 * time.Hour
	for i, unit := range []time.Duration{7 * day, day} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(m[i+1], 10, 64)
		if err != nil || n > int64(longestSpan/unit) {
			return 0, false
		}
		sum += time.Duration(n) * unit
	}
	if m[3] == "" {
		return sum, sum <= longestSpan
	}
	rest, err := time.ParseDuration(m[3])
	if err != nil || rest > longestSpan || sum > longestSpan-rest {
		return 0, false
	}
	return sum + rest, true
}
