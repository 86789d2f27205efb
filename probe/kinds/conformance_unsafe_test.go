package kinds_test

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// unsafeRows are C21 to C27: what may be sent again.
var unsafeRows = []row{
	{id: "C21", version: "1.1 h2c", server: []turn{rst}, with: changes(post),
		tries: "4×disconnected@wait:U", requests: 4, end: "down disconnected attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 amb3 f1"},
	{id: "C22", version: "1.1 h2c", server: []turn{rst}, with: changes(post, unsafe(retry.UnsafeBeforeSend)),
		tries: "disconnected@wait:U", requests: 1, end: "down disconnected unsafe_after_send", counts: "a1 f1"},
	{id: "C23", version: "1.1 h2c", server: []turn{rst}, with: changes(post, unsafe(retry.UnsafeNever)),
		tries: "disconnected@wait:U", requests: 1, end: "down disconnected unsafe_after_send", counts: "a1 f1"},
	{id: "C24", version: "1.1 h2c", server: []turn{half(fin)}, with: changes(post),
		tries: "body_truncated@transfer:W", requests: 1, end: "down body_truncated unsafe_after_response", counts: "a1 f1"},
	{id: "C25", version: "1.1 h2c", server: []turn{half(fin)}, with: changes(post, keyed), play: twice,
		tries: "4×body_truncated@transfer:W", requests: 8, end: "down body_truncated attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a8 r6 f2", check: oneKeyARun},
	{id: "C27", version: "1.1 h2c", server: []turn{status(503, "Retry-After: 1")}, with: changes(post),
		tries: "status@transfer:W", requests: 1, end: "down status unsafe_after_response", counts: "a1 f1"},
	{id: "C27 429", server: []turn{status(429, "Retry-After: 1")}, with: changes(post),
		tries: "status@transfer:W", requests: 1, end: "down status unsafe_after_response", counts: "a1 f1"},

	// Beyond the table.
	{id: "key and 409", server: statuses(409, 201), with: changes(post, keyed),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1", check: oneKeyARun},
	{id: "409 without a key", server: statuses(409), with: changes(post),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "422 with a key", server: statuses(422), with: changes(post, keyed),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "key and 503", server: []turn{status(503, "Retry-After: 1"), ok}, with: changes(post, keyed),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "1.25s*", took: "1.25s", counts: "a2 r1 fl1"},
	{id: "unsafe never, nothing sent", server: []turn{refused}, with: changes(post, unsafe(retry.UnsafeNever)),
		tries: "connect_refused@connect:N", end: "down connect_refused unsafe_method", counts: "a1 f1"},
	{id: "unsafe never does not bind GET", server: []turn{rst, ok}, with: changes(unsafe(retry.UnsafeNever)),
		tries: "disconnected@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "after_resend", server: []turn{rst, status(503), ok}, with: changes(method("DELETE")),
		tries: "disconnected@wait:U status@transfer:W ok", requests: 3, end: "flaky success", waits: "750ms 1.25s", took: "2s",
		counts: "a3 r2 fl1", check: afterResend},
	{id: "the last attempt is judged before the method", server: []turn{rst}, with: changes(post, attempts(1), unsafe(retry.UnsafeNever)),
		tries: "disconnected@wait:U", requests: 1, end: "down disconnected attempts", counts: "a1 f1"},
}

// twice makes a run before the one that counts, whose requests and numbers count too.
func twice(l *lab, p *probe.Probe) *probe.Result {
	l.run(p)
	return l.run(p)
}

// oneKeyARun checks that all attempts of a run bore one key, a UUID of version 4, and no other run's.
func oneKeyARun(l *lab, r *probe.Result) {
	requests := l.sites[here].requests()
	used := map[string]bool{}
	for i := 0; i < len(requests); i += len(r.Attempts) {
		key := requests[i].key
		if len(key) != 36 || key[14] != '4' || used[key] {
			l.t.Errorf("the key is %q, want a UUID of version 4 that is this run's own", key)
		}
		used[key] = true
		for _, s := range requests[i : i+len(r.Attempts)] {
			if s.key != key || s.body != "sku=canary" {
				l.t.Errorf("an attempt sent key %q and body %q, want %q and the body", s.key, s.body, key)
			}
		}
	}
}

func afterResend(l *lab, r *probe.Result) {
	for _, a := range r.Attempts[1:] {
		if !a.HTTP.AfterResend {
			l.t.Errorf("attempt %d does not say that one before it was unanswered", a.Number)
		}
	}
}

// brk is a way in which an attempt breaks, and what its record must say.
type brk struct {
	name     string
	turn     turn
	reason   string
	evidence string
	took     time.Duration
	requests int
	versions string
}

// breaks are the ways in which a connection can break, from before accepting to within the body. After the
// header the site lets the body, which it does not read, come all the same: whether it does is chance on HTTP/2.
var breaks = []brk{
	{"refused", refused, "connect_refused@connect", "N", 0, 0, "1.1 h2c"},
	{"unreachable", dialing(syscall.EHOSTUNREACH), "connect_unreachable@connect", "N", 0, 0, "1.1"},
	{"no answer to SYN", unanswered, "limit_connect@connect", "N", 5 * time.Second, 0, "1.1"},
	{"FIN within the request", fin.on(atByte), "disconnected@wait", "U", 0, 0, "1.1"},
	{"RST within the request", rst.on(atByte), "disconnected@wait", "U", 0, 0, "1.1"},
	{"FIN after the header", after(time.Millisecond, fin).on(atHeader), "disconnected@wait", "U", time.Millisecond, 1, "1.1 h2c"},
	{"RST after the header", after(time.Millisecond, rst).on(atHeader), "disconnected@wait", "U", time.Millisecond, 1, "1.1 h2c"},
	{"FIN after the request", fin, "disconnected@wait", "U", 0, 1, "1.1 h2c"},
	{"RST after the request", rst, "disconnected@wait", "U", 0, 1, "1.1 h2c"},
	{"silence after the request", silent, "limit_sock_read@wait", "U", 10 * time.Second, 1, "1.1 h2c"},
	{"FIN in the status line", says("HTTP/1.1 2", fin), "header_truncated@wait", "W", 0, 1, "1.1"},
	{"RST in the status line", says("HTTP/1.1 2", after(time.Millisecond, rst)), "header_truncated@wait", "W", time.Millisecond, 1, "1.1"},
	{"FIN in the header", says("HTTP/1.1 200 OK\r\nContent-", fin), "header_truncated@wait", "W", 0, 1, "1.1"},
	{"silence in the header", says("HTTP/1.1 200 OK\r\n", silent), "limit_sock_read@wait", "W", 10 * time.Second, 1, "1.1"},
	{"FIN in the body", half(fin), "body_truncated@transfer", "W", 0, 1, "1.1 h2c"},
	{"RST in the body", half(after(time.Millisecond, rst)), "body_truncated@transfer", "W", time.Millisecond, 1, "1.1 h2c"},
	{"silence in the body", half(silent), "limit_sock_read@transfer", "W", 10 * time.Second, 1, "1.1 h2c"},
	{"REFUSED_STREAM", resets(7), "h2_refused@wait", "R", 0, 1, "h2c"},
	{"INTERNAL_ERROR", resets(2), "h2_stream_reset@wait", "U", 0, 1, "h2c"},
	{"GOAWAY below", goaway(below, 0, fin), "h2_refused@wait", "R", 0, 1, "h2c"},
	{"GOAWAY up to it", goaway(upTo, 0, fin), "h2_goaway@wait", "U", 0, 1, "h2c"},
}

// breakRows are POST, PATCH and a method that nobody knows against every break, with and without a key,
// under each unsafe; and GET, which none of this concerns. Transparent attempts are off, since they do
// not depend on any of it.
func breakRows() (rows []row) {
	for _, b := range breaks {
		for _, m := range []string{"GET", "POST", "PATCH", "BREW"} {
			for _, u := range []retry.Unsafe{"", retry.UnsafeBeforeSend, retry.UnsafeNever} {
				rows = append(rows, b.row(m, u, false), b.row(m, u, true))
			}
		}
	}
	return rows
}

func (b *brk) row(m string, u retry.Unsafe, key bool) row {
	with := changes(method(m), unsafe(u), transparent(0), attempts(3), connect(5*time.Second), sockConnect(0))
	if key {
		with = append(with, keyed)
	}
	r := row{
		id:      strings.TrimSpace(fmt.Sprintf("%s %s unsafe=%s key=%v", m, b.name, u, key)),
		version: b.versions, server: []turn{b.turn}, with: with,
	}
	stop := b.stop(u)
	if m == "GET" || key || stop == "" {
		r.tries, r.requests, r.end = fmt.Sprintf("3×%s:%s", b.reason, b.evidence), 3*b.requests, "attempts"
		r.waits, r.took, r.counts = "750ms 1.25s", (3*b.took + 2*time.Second).String(), "a3 r2 f1"
		if m != "GET" && !key && b.evidence == "U" {
			r.counts = "a3 r2 amb2 f1"
		}
	} else {
		r.tries, r.requests, r.end = b.reason+":"+b.evidence, b.requests, stop
		r.took, r.counts = b.took.String(), "a1 f1"
	}
	reason, _, _ := strings.Cut(b.reason, "@")
	r.end = "down " + reason + " " + r.end
	return r
}

// stop is why a request that is neither idempotent nor keyed is not sent again after the break.
func (b *brk) stop(u retry.Unsafe) string {
	switch {
	case b.evidence == "W":
		return "unsafe_after_response"
	case u == "":
		return ""
	case b.evidence == "U":
		return "unsafe_after_send"
	case u == retry.UnsafeNever:
		return "unsafe_method"
	}
	return ""
}
