package schema

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const wantDuration = "a duration with a unit, such as 500ms, 30s, 1m30s or 1d"

// units are those of Go and, from Prometheus, days and weeks. Years are not: they are of no one length.
var units = map[string]time.Duration{
	"ns": 1, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// longhand is how people write units that have a short name.
var longhand = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "S": "s", "min": "m", "mins": "m", "minute": "m",
	"minutes": "m", "M": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "H": "h", "day": "d", "days": "d",
	"D": "d", "week": "w", "weeks": "w", "W": "w", "msec": "ms", "millis": "ms", "milliseconds": "ms", "MS": "ms",
}

// parseDuration reads numbers with units, one after the other, as in 1d12h. The error says what is wanted.
func parseDuration(text string) (time.Duration, error) {
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(text, "+")
	}
	if rest == "0" {
		return 0, nil
	}
	var sum float64
	whole := time.Duration(0)
	for first := true; first || rest != ""; first = false {
		number, unit, after := nextTerm(rest)
		size, ok := units[unit]
		n, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return 0, fmt.Errorf("want %s%s", wantDuration, unitHint(text, number, unit))
		}
		sum += n * float64(size)
		whole += term(number, size)
		rest = after
	}
	if sum > math.MaxInt64/2 {
		return 0, fmt.Errorf("want a duration of less than 146 years")
	}
	if negative {
		whole = -whole
	}
	return whole, nil
}

// term is a number of units, exact when the number is whole.
func term(number string, size time.Duration) time.Duration {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return time.Duration(n) * size
	}
	n, _ := strconv.ParseFloat(number, 64)
	return time.Duration(math.Round(n * float64(size)))
}

// nextTerm cuts off a number and its unit.
func nextTerm(s string) (number, unit, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	j := i
	for j < len(s) && (s[j] < '0' || s[j] > '9') && s[j] != '.' {
		_, size := utf8.DecodeRuneInString(s[j:])
		j += size
	}
	return s[:i], s[i:j], s[j:]
}

// unitHint is what was probably meant, or empty.
func unitHint(text, number, unit string) string {
	unit = strings.TrimSpace(unit)
	switch {
	case number == "":
		return ""
	case unit == "" && number == text:
		return fmt.Sprintf("; did you mean %ss?", number)
	case unit == "" && strings.HasSuffix(text, number):
		return lastHint(text, strings.TrimSuffix(text, number))
	case longhand[unit] != "":
		return fmt.Sprintf("; did you mean %s%s?", number, longhand[unit])
	case units[unit] != 0:
		return fmt.Sprintf("; did you mean %s%s?", number, unit)
	case strings.Contains(text, ":"):
		return "; a time of day or minutes:seconds is not one"
	}
	return ""
}

// smaller is what follows a unit in a duration of two.
var smaller = map[string]string{"w": "d", "d": "h", "h": "m", "m": "s", "s": "ms"}

// lastHint is unitHint where the last number alone has no unit, as in 1m30; before is what stands before it.
func lastHint(text, before string) string {
	unit := strings.TrimLeft(before, "+-.0123456789")
	if smaller[unit] == "" { // of three units, nobody knows
		return ""
	}
	return "; did you mean " + text + smaller[unit] + "?"
}

// likelierUnit puts milliseconds for seconds into the hint for a bare number, where they are nearer to the
// value that would hold without it.
func likelierUnit(wrong, text string, v any) string {
	held := reflect.ValueOf(v).Elem()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || held.Kind() != reflect.Int64 || held.Int() <= 0 {
		return wrong
	}
	if h := float64(held.Int()); n*float64(time.Second)/h > h/(n*float64(time.Millisecond)) {
		return strings.Replace(wrong, "did you mean "+text+"s?", "did you mean "+text+"ms?", 1)
	}
	return wrong
}

// span is a duration above 0.
type span time.Duration

// UnmarshalText reads a duration above 0.
func (s *span) UnmarshalText(text []byte) error {
	d, err := parseDuration(string(text))
	if err != nil {
		return err
	}
	if d <= 0 {
		return fmt.Errorf("want %s, above 0", wantDuration)
	}
	*s = span(d)
	return nil
}

// period is the time from one run to the next.
type period time.Duration

// leastPeriod is the shortest one: a slip of the pen must not make sonde a flood.
const leastPeriod = 10 * time.Millisecond

// UnmarshalText reads a duration that is long enough.
func (p *period) UnmarshalText(text []byte) error {
	var s span
	if err := s.UnmarshalText(text); err != nil {
		return err
	}
	if time.Duration(s) < leastPeriod {
		return fmt.Errorf("want at least %s", leastPeriod)
	}
	*p = period(s)
	return nil
}

// limit is a duration above 0, or none, which is 0.
type limit time.Duration

// unset is the limit that depends on others as long as no file sets it.
const unset limit = -1

// UnmarshalText reads a duration above 0, or none.
func (l *limit) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*l = 0
		return nil
	}
	d, err := parseDuration(string(text))
	switch {
	case err != nil:
		return orNone(err)
	case d == 0:
		return fmt.Errorf("want %s, above 0, or none for no limit", wantDuration)
	case d < 0:
		return fmt.Errorf("want %s, above 0, or none", wantDuration)
	}
	*l = limit(d)
	return nil
}

// orNone adds to what is wanted that none is too.
func orNone(err error) error {
	text, hint, found := strings.Cut(err.Error(), "; ")
	text += ", or none"
	if found {
		text += "; " + hint
	}
	return fmt.Errorf("%s", text)
}

// pause is a duration of 0 or more.
type pause time.Duration

// UnmarshalText reads a duration of 0 or more; the 0 needs its unit, too.
func (p *pause) UnmarshalText(text []byte) error {
	d, err := parseDuration(string(text))
	switch {
	case err != nil:
		return err
	case string(text) == "0":
		return fmt.Errorf("want %s; did you mean 0s?", wantDuration)
	case d < 0:
		return fmt.Errorf("want %s, not below 0", wantDuration)
	}
	*p = pause(d)
	return nil
}

// text is a duration as people write it: 1d12h, 1m30s, 500ms.
func text(d time.Duration) string {
	if d <= 0 {
		return d.String()
	}
	var b strings.Builder
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"w", units["w"]}, {"d", units["d"]}, {"h", units["h"]}, {"m", units["m"]}} {
		if n := d / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.size
		}
	}
	if d > 0 {
		b.WriteString(d.String())
	}
	return b.String()
}
