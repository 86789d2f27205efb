package kinds

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads how long a response asks us to wait; ok is false when it does not ask, or not in a
// form that can be read. A date is measured against the response's own Date, so that two clocks that
// differ do no harm, and against now only without one; what lies in the past is 0. More seconds than a
// duration holds are the greatest duration.
func retryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.Trim(h.Get("Retry-After"), " \t")
	if text == "" {
		return 0, false
	}
	if strings.Trim(text, "0123456789") == "" {
		return seconds(text), true
	}
	if date, ok := httpDate(h.Get("Date"), now); ok {
		now = date
	}
	at, ok := httpDate(text, now)
	if !ok {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}

// httpDate reads the three forms of a date in HTTP (RFC 9110, section 5.6.7). Go takes any letters for a zone in
// that of RFC 850, and counts them as GMT, which is hours off; they are no date here. It also knows no leap second,
// and the century of a year of two digits by a rule of its own.
func httpDate(text string, now time.Time) (time.Time, bool) {
	text, leap := strings.CutSuffix(text, ":60 GMT")
	if leap {
		text += ":59 GMT"
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return at, false
	}
	if leap {
		at = at.Add(time.Second)
	}
	if strings.Contains(text, "-") { // only the form of RFC 850 has one
		at = century(at, now)
	}
	zone, _ := at.Zone()
	return at, zone == "GMT" || zone == "UTC"
}

// century moves a date whose year had two digits into the last century in which it is not more than 50 years
// after now (RFC 9110, section 5.6.7).
func century(at, now time.Time) time.Time {
	year := at.Year() + (now.Year()/100+1-at.Year()/100)*100
	for ; ; year -= 100 {
		moved := time.Date(year, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, at.Location())
		if !moved.After(now.AddDate(50, 0, 0)) {
			return moved
		}
	}
}

// seconds reads digits and saturates.
func seconds(digits string) time.Duration {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > uint64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}
