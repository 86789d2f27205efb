package kinds

import (
	"encoding"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestValuesReadTheirScalars(t *testing.T) {
	t.Parallel()
	const status, bounds = "want a status such as 200, 200-299 or 2xx", "want 100 to 599"
	const size = "want a size from 1B to 1GiB, such as 512KiB or 10MiB"
	for _, test := range []struct {
		value     encoding.TextUnmarshaler
		text      string
		want, err string // what it is written as, or what its error says
	}{
		{new(StatusRange), "200", "200", ""},
		{new(StatusRange), "200-299", "2xx", ""},
		{new(StatusRange), "520-527", "520-527", ""},
		{new(StatusRange), "500 - 502", "500-502", ""},
		{new(StatusRange), "2xx", "2xx", ""},
		{new(StatusRange), "5XX", "5xx", ""},
		{new(StatusRange), "100-599", "100-599", ""},
		{new(StatusRange), "999", "", bounds},
		{new(StatusRange), "99", "", bounds},
		{new(StatusRange), "200-600", "", bounds},
		{new(StatusRange), "6xx", "", bounds},
		{new(StatusRange), "0xx", "", bounds},
		{new(StatusRange), "20000000000000000000000", "", bounds},
		{new(StatusRange), "299-200", "", "want the smaller status first"},
		{new(StatusRange), "-200", "", status},
		{new(StatusRange), "+200", "", status},
		{new(StatusRange), "200-", "", status},
		{new(StatusRange), "20x", "", status},
		{new(StatusRange), "xxx", "", status},
		{new(StatusRange), "ok", "", status},
		{new(StatusRange), "", "", status},
		{new(StatusRange), "0xC8", "", status},
		{new(Size), "10MiB", "10MiB", ""},
		{new(Size), "1024 KiB", "1MiB", ""},
		{new(Size), "1kB", "1000B", ""},
		{new(Size), "1GiB", "1GiB", ""},
		{new(Size), "512B", "512B", ""},
		{new(Size), "2GiB", "", size},
		{new(Size), "0B", "", size},
		{new(Size), "10", "", size},
		{new(Size), "10M", "", size + "; did you mean 10MiB?"},
		{new(Size), "10mb", "", size + "; did you mean 10MiB?"},
		{new(Size), "512 k", "", size + "; did you mean 512KiB?"},
		{new(Size), "1Gi", "", size + "; did you mean 1GiB?"},
		{new(Size), "2G", "", size},
		{new(Size), "10i", "", size},
		{new(Size), "M", "", size},
		{new(Size), "1.5M", "", size},
		{new(Size), "1.5MiB", "", size},
		{new(Size), "-1MiB", "", size},
		{new(Size), "99999999999GiB", "", size},
		{new(Redirects), "none", "none", ""},
		{new(Redirects), "10", "10", ""},
		{new(Redirects), "0", "", "want 1 to 100, or none"},
		{new(Redirects), "101", "", "want 1 to 100, or none"},
		{new(Redirects), "all", "", "want 1 to 100, or none"},
		{new(HTTPVersion), "1.1", "1.1", ""},
		{new(HTTPVersion), "h2c", "h2c", ""},
		{new(HTTPVersion), "3", "", "want auto, 1.1, 2 or h2c"},
		{new(Regexp), "^a+$", "^a+$", ""},
		{new(Regexp), "a(", "", "want a regular expression (RE2): missing closing ): `a(`"},
		{new(Regexp), "a\x00", "", "want a regular expression (RE2)"},
		{new(HeaderRule), "a\nb", "", "want the header's value, or a mapping with one of equals, contains, matches, absent"},
		{new(HeaderRule), "", "", "want the header's value, or a mapping with one of equals, contains, matches, absent"},
	} {
		err := test.value.UnmarshalText([]byte(test.text))
		switch {
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("%T of %q says %v, want %s", test.value, test.text, err, test.err)
		case test.err == "" && err != nil:
			t.Errorf("%T of %q says %v, want %s", test.value, test.text, err, test.want)
		case test.err == "":
			text, _ := test.value.(encoding.TextMarshaler).MarshalText()
			if string(text) != test.want {
				t.Errorf("%T of %q is %s, want %s", test.value, test.text, text, test.want)
			}
		}
	}
}

func TestStatusSets(t *testing.T) {
	t.Parallel()
	set := StatusSet{{204, 204}, {500, 599}, {100, 100}}
	bits := set.bits()
	for status := -1; status < 1100; status++ {
		want := status == 204 || status == 100 || status >= 500 && status < 600
		if bits.has(status) != want {
			t.Errorf("%s has %d: %v, want %v", set, status, !want, want)
		}
	}
	if got := set.String(); got != "204, 5xx, 100" {
		t.Errorf("the set is written %q", got)
	}
	none := StatusSet{}.bits()
	for status := range 1000 {
		if none.has(status) {
			t.Errorf("the empty set has %d", status)
		}
	}
}

func FuzzStatusRange(f *testing.F) {
	for _, text := range []string{"200", "2xx", "200-299", "5Xx", "-", "599-100", "1000", " 4xx "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r StatusRange
		if err := r.UnmarshalText([]byte(text)); err != nil {
			if !strings.HasPrefix(err.Error(), "want ") || r != (StatusRange{}) {
				t.Errorf("%q: %v, %v", text, r, err)
			}
			return
		}
		if r[0] < minStatus || r[1] > maxStatus || r[0] > r[1] {
			t.Errorf("%q is %v", text, r)
		}
		bits := StatusSet{r}.bits()
		if !bits.has(r[0]) || !bits.has(r[1]) || bits.has(r[0]-1) || bits.has(r[1]+1) {
			t.Errorf("%q as bits has other bounds", text)
		}
		var again StatusRange
		if err := again.UnmarshalText([]byte(r.String())); err != nil || again != r {
			t.Errorf("%q is written %s, which is %v, %v", text, r, again, err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	date := func(d time.Duration, layout string) string { return now.Add(d).Format(layout) }
	for _, test := range []struct {
		name, asks, date string
		want             time.Duration
		ok               bool
	}{
		{"absent", "", "", 0, false},
		{"seconds", "7", "", 7 * time.Second, true},
		{"blanks", " 7\t", "", 7 * time.Second, true},
		{"zero", "0", "", 0, true},
		{"leading zeros", "007", "", 7 * time.Second, true},
		{"20 digits", "99999999999999999999", "", math.MaxInt64, true},
		{"more than a duration holds", "9223372037", "", math.MaxInt64, true},
		{"the most that one holds", "9223372036", "", 9223372036 * time.Second, true},
		{"negative", "-1", "", 0, false},
		{"sign", "+1", "", 0, false},
		{"fraction", "1.5", "", 0, false},
		{"words", "soon", "", 0, false},
		{"IMF-fixdate", date(20*time.Second, http.TimeFormat), "", 20 * time.Second, true},
		{"RFC 850", date(20*time.Second, "Monday, 02-Jan-06 15:04:05 GMT"), "", 20 * time.Second, true},
		{"RFC 850, 49 years on", "Saturday, 30-Nov-75 10:00:00 GMT", "", time.Date(2075, 11, 30, 10, 0, 0, 0, time.UTC).Sub(now), true},
		{"RFC 850, 50 years on", "Monday, 30-Nov-76 10:00:00 GMT", "", time.Date(2076, 11, 30, 10, 0, 0, 0, time.UTC).Sub(now), true},
		{"RFC 850, more than 50 years on", "Monday, 30-Nov-76 10:00:01 GMT", "", 0, true},
		{"RFC 850, more than 50 years after the server's clock", "Thursday, 01-Jan-80 00:00:09 GMT", "Tue, 01 Jan 2030 00:00:00 GMT", 0, true},
		{"RFC 850, the next century", "Friday, 01-Jan-05 00:00:09 GMT", "Tue, 01 Jan 2097 00:00:00 GMT", time.Date(2105, 1, 1, 0, 0, 9, 0, time.UTC).Sub(time.Date(2097, 1, 1, 0, 0, 0, 0, time.UTC)), true},
		{"a leap second", "Sat, 31 Dec 2016 23:59:60 GMT", "Sat, 31 Dec 2016 23:59:59 GMT", time.Second, true},
		{"a leap second of RFC 850", "Saturday, 31-Dec-16 23:59:60 GMT", "Sat, 31 Dec 2016 23:59:50 GMT", 10 * time.Second, true},
		{"a minute has no 61 seconds", "Sat, 31 Dec 2016 23:59:61 GMT", "", 0, false},
		{"asctime", date(20*time.Second, time.ANSIC), "", 20 * time.Second, true},
		{"another zone", date(20*time.Second, time.RFC1123Z), "", 0, false},
		{"the past", date(-time.Hour, http.TimeFormat), "", 0, true},
		{"by the server's clock", date(time.Hour+5*time.Second, http.TimeFormat), date(time.Hour, http.TimeFormat), 5 * time.Second, true},
		{"by ours, when the server's cannot be read", date(5*time.Second, http.TimeFormat), "today", 5 * time.Second, true},
		{"seconds need no clock", "5", date(time.Hour, http.TimeFormat), 5 * time.Second, true},
	} {
		h := http.Header{}
		if test.asks != "" {
			h.Set("Retry-After", test.asks)
		}
		if test.date != "" {
			h.Set("Date", test.date)
		}
		if got, ok := retryAfter(h, now); got != test.want || ok != test.ok {
			t.Errorf("%s: %q is %v, %v, want %v, %v", test.name, test.asks, got, ok, test.want, test.ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"7", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "-1", "１"} {
		f.Add(text, "Sun, 06 Nov 1994 08:49:30 GMT")
	}
	f.Fuzz(func(t *testing.T, asks, date string) {
		wait, ok := retryAfter(http.Header{"Retry-After": {asks}, "Date": {date}}, time.Now())
		if wait < 0 || !ok && wait != 0 {
			t.Errorf("%q at %q is %v, %v", asks, date, wait, ok)
		}
	})
}

// FuzzRegexp holds that what may stand in a file can be used, in either way.
func FuzzRegexp(f *testing.F) {
	for _, text := range []string{"^a$|^b", "(?s-m)a.b$", `\Qa`, "(?i:x)", "((a){1,9}){1,99}", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r Regexp
		if r.UnmarshalText([]byte(text)) == nil && strings.TrimPrefix(r.ofLines().String(), lineFlag) != text {
			t.Errorf("%q is shown as %q", text, r.ofLines())
		}
	})
}
