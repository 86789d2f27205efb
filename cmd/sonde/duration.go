package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// span is a flag's duration: Go's form, and Prometheus' units d and w.
type span time.Duration

var daysAndWeeks = regexp.MustCompile(`^(?:(\d{1,4})w)?(?:(\d{1,5})d)?(.*)$`)

// UnmarshalText reads 90s, 1m30s, 1d or 1w2d12h; it must be above 0.
func (s *span) UnmarshalText(text []byte) error {
	m := daysAndWeeks.FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("%q is no duration, want one such as 30s or 1m30s", text)
	}
	weeks, _ := strconv.Atoi(m[1]) // none is 0
	days, _ := strconv.Atoi(m[2])
	d := time.Duration(7*weeks+days) * 24 * time.Hour
	if m[3] != "" {
		rest, err := time.ParseDuration(m[3])
		if _, bare := strconv.ParseFloat(m[3], 64); bare == nil {
			return fmt.Errorf("%q has no unit, want one such as %ss", text, text)
		}
		if err != nil {
			return fmt.Errorf("%q is no duration, want one such as 30s or 1m30s", text)
		}
		d += rest
	}
	if d <= 0 {
		return fmt.Errorf("%q is not above 0", text)
	}
	*s = span(d)
	return nil
}
