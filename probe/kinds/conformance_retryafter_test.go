package kinds_test

import (
	"net/http"
	"strings"
	"time"

	"sonde/probe/retry"
)

// retryAfterRows are C48 to C50, and forms of Retry-After that are odd. A bubble's clock starts at
// midnight of 2000-01-01, UTC.
var retryAfterRows = append([]row{
	{id: "C48", version: "1.1 h2c", server: []turn{status(429, "Retry-After: 7"), ok},
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "7.25s*", took: "7.25s", counts: "a2 r1 fl1"},
	{id: "C50 stop", server: []turn{status(429, "Retry-After: 3600"), ok},
		tries: "status@transfer:W", requests: 1, end: "down status retry_after_over_max", counts: "a1 f1"},
	{id: "C50 clamp", server: []turn{status(429, "Retry-After: 3600"), ok}, with: changes(above(retry.AboveClamp)),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "1m0.25s*", took: "1m0.25s", counts: "a2 r1 fl1"},
	{id: "C50 ignore", server: []turn{status(429, "Retry-After: 3600"), ok}, with: changes(above(retry.AboveIgnore)),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
}, append(askedRows(), oddRows...)...)

// oddRows are beyond the table.
var oddRows = []row{
	{id: "Retry-After is a floor, not a wait", server: []turn{status(503), status(503), status(503), status(503, "Retry-After: 1"), ok}, with: changes(attempts(5)),
		tries: "4×status@transfer:W ok", requests: 5, end: "flaky success", waits: "750ms 1.25s 2.25s 4.25s", took: "8.5s", counts: "a5 r4 fl1"},
	{id: "Retry-After above cap", server: []turn{status(503, "Retry-After: 45"), ok},
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "45.25s*", took: "45.25s", counts: "a2 r1 fl1"},
	{id: "Retry-After of just the max", server: []turn{status(503, "Retry-After: 60"), ok},
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "1m0.25s*", took: "1m0.25s", counts: "a2 r1 fl1"},
	{id: "Retry-After past the deadline", server: []turn{status(503, "Retry-After: 20"), ok}, with: changes(deadline(15 * time.Second)),
		tries: "status@transfer:W", requests: 1, end: "down status deadline_would_pass", counts: "a1 f1"},
	{id: "Retry-After on the last attempt", server: []turn{status(503, "Retry-After: 3600")}, with: changes(attempts(1)),
		tries: "status@transfer:W", requests: 1, end: "down status attempts", counts: "a1 f1"},
	{id: "Retry-After on what is permanent", server: []turn{status(404, "Retry-After: 3600")},
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "Retry-After on a success", server: []turn{status(200, "Retry-After: 3600")},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "Retry-After on a status that is expected, whose body fails", server: []turn{says("HTTP/1.1 503 X\r\nRetry-After: 3\r\nContent-Length: 9\r\n\r\nhal", fin), ok},
		with:  changes(expected([2]int{200, 200}, [2]int{503, 503})),
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "3.25s*", took: "3.25s", counts: "a2 r1 fl1"},
	{id: "Retry-After twice, the first counts", server: []turn{status(503, "Retry-After: 3", "Retry-After: 3600"), ok},
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "3.25s*", took: "3.25s", counts: "a2 r1 fl1"},
	{id: "Retry-After on a wrong status whose body is cut", server: []turn{says("HTTP/1.1 503 X\r\nRetry-After: 3\r\nContent-Length: 9\r\n\r\nhal", fin), ok},
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "3.25s*", took: "3.25s", counts: "a2 r1 fl1"},
}

// askedRows are a 503 whose Retry-After has many forms, then 200, and how long is waited between them.
func askedRows() (rows []row) {
	at := time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC)
	for _, c := range []struct{ id, value, date, waits string }{
		{"C49 IMF-fixdate", at.Format(http.TimeFormat), "", "20.25s*"},
		{"C49 RFC 850", at.Format("Monday, 02-Jan-06 15:04:05 GMT"), "", "20.25s*"},
		{"C49 asctime", at.Format(time.ANSIC), "", "20.25s*"},

		{"date against the answer's own", "Tue, 01 Jan 2030 00:00:05 GMT", "Tue, 01 Jan 2030 00:00:00 GMT", "5.25s*"},
		{"date in the past", "Fri, 31 Dec 1999 23:00:00 GMT", "", "750ms"},
		{"date of RFC 850 that says UTC", "Saturday, 01-Jan-00 00:00:20 UTC", "", "20.25s*"},
		{"date of RFC 850 of another zone", "Saturday, 01-Jan-00 00:00:20 EST", "", "750ms"},
		{"date of ANSI C with one digit", "Sat Jan 1 00:00:20 2000", "", "20.25s*"},
		{"date with +0000", "Sat, 01 Jan 2000 00:00:20 +0000", "", "750ms"},
		{"date of ISO 8601", "2000-01-01T00:00:20Z", "", "750ms"},
		{"date, the answer's own unreadable", at.Format(http.TimeFormat), "yesterday", "20.25s*"},
		{"zero", "0", "", "750ms"},
		{"many zeros", "00000000000000000000000000007", "", "7.25s*"},
		{"blanks around", "\t 7 \t", "", "7.25s*"},
		{"below zero", "-1", "", "750ms"},
		{"plus", "+7", "", "750ms"},
		{"fraction", "1.5", "", "750ms"},
		{"exponent", "1e1", "", "750ms"},
		{"hex", "0x7", "", "750ms"},
		{"unit", "7s", "", "750ms"},
		{"empty", "", "", "750ms"},
		{"words", "in a while", "", "750ms"},
		{"list", "7, 8", "", "750ms"},
		{"other digits", "\u0667", "", "750ms"},
		{"20 digits", "99999999999999999999", "", "over"},
		{"just above what a duration holds", "9223372037", "", "over"},
		{"2^63", "9223372036854775808", "", "over"},
	} {
		header := []string{"Retry-After: " + c.value}
		if c.date != "" {
			header = append(header, "Date: "+c.date)
		}
		id := c.id
		if id[:2] != "C4" {
			id = "Retry-After: " + id
		}
		rows = append(rows, askedRow(id, c.waits, status(503, header...)))
	}
	return rows
}

func askedRow(id, waits string, t turn) row {
	if waits == "over" {
		return row{id: id, server: []turn{t, ok}, tries: "status@transfer:W", requests: 1, end: "down status retry_after_over_max", counts: "a1 f1"}
	}
	return row{id: id, server: []turn{t, ok}, tries: "status@transfer:W ok", requests: 2, end: "flaky success",
		waits: waits, took: strings.TrimSuffix(waits, "*"), counts: "a2 r1 fl1"}
}
