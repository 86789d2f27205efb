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
	at, ok := httpDate(text)
	if !ok {
		return 0, false
	}
	if date, ok := httpDate(h.Get("Date")); ok {
		now = date
	}
	return max(0, at.Sub(now)), true
}

// httpDate reads the three forms of a date in HTTP. Go takes any letters for a zone in that of RFC 850,
// and counts them as GMT, which is hours off; they are no date here.
func httpDate(text string) (time.Time, bool) {
	at, err := http.ParseTime(text)
	if err != nil {
		return at, false
	}
	zone, _ := at.Zone()
	return at, zone == "GMT" || zone == "UTC"
}

// seconds reads digits and saturates.
func seconds(digits string) time.Duration {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > uint64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}
