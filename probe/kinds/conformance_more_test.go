package kinds_test

import (
	"strings"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/retry"
)

// moreRows are beyond the table: forms of waiting, methods, and connections that several runs share.
var moreRows = []row{
	{id: "full jitter", server: statuses(503), with: changes(backoff(retry.Full)),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts", waits: "250ms 500ms 1s", took: "1.75s", counts: "a4 r3 f1"},
	{id: "equal jitter", server: statuses(503), with: changes(backoff(retry.Equal)),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts", waits: "375ms 750ms 1.5s", took: "2.625s", counts: "a4 r3 f1"},
	{id: "decorrelated jitter", server: statuses(503), with: changes(backoff(retry.Decorrelated)),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts", waits: "1s 1.75s 2.875s", took: "5.625s", counts: "a4 r3 f1"},
	{id: "cap includes jitter", server: statuses(503), with: changes(func(s *setup) { s.policy.Backoff.Cap, s.policy.Backoff.CapIncludesJitter = time.Second, true }),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts", waits: "750ms 750ms 750ms", took: "2.25s", counts: "a4 r3 f1"},
	{id: "no wait at all", server: statuses(503), with: changes(func(s *setup) { s.policy.Backoff = retry.Backoff{} }),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts", waits: "0s 0s 0s", counts: "a4 r3 f1"},

	{id: "QUERY is idempotent", version: "1.1 h2c", server: []turn{half(fin), ok}, with: changes(method("QUERY")),
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "DELETE is idempotent", version: "1.1 h2c", server: []turn{half(fin), ok}, with: changes(method("DELETE"), unsafe(retry.UnsafeNever)),
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "OPTIONS is idempotent", server: []turn{fin, ok}, with: changes(method("OPTIONS"), unsafe(retry.UnsafeNever)),
		tries: "disconnected@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "a key of the file's", version: "1.1 h2c", server: []turn{half(fin), ok}, with: changes(post, func(s *setup) { s.http.IdempotencyKey = "canary-1" }),
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1", check: keyIs("canary-1")},
	{id: "a header that looks like a key is none", version: "1.1 h2c", server: []turn{half(fin), ok},
		with:  changes(post, func(s *setup) { s.http.Headers = map[string]string{"Idempotency-Key": "x"} }),
		tries: "body_truncated@transfer:W", requests: 1, end: "down body_truncated unsafe_after_response", counts: "a1 f1"},
	{id: "a permanent reason made transient, POST answered", server: statuses(404), with: changes(post, worth(probe.ReasonStatus, true)),
		tries: "status@transfer:W", requests: 1, end: "down status unsafe_after_response", counts: "a1 f1"},
	{id: "a transient reason made permanent", version: "1.1 h2c", server: []turn{fin}, with: changes(worth(probe.ReasonDisconnected, false)),
		tries: "disconnected@wait:U", requests: 1, end: "down disconnected permanent", counts: "a1 f1"},
	{id: "a stale connection made permanent", server: []turn{ok, fin}, prior: 1, with: changes(worth(probe.ReasonStaleConnection, false)),
		tries: "stale_connection@wait:U", requests: 1, end: "down stale_connection permanent", counts: "a1 f1"},

	{id: "a body that tells our credentials", version: "1.1 h2c", server: []turn{answer(404, "you are u5er:"+password+" with "+token)},
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1", check: headSays("you are")},
	{id: "a redirect that tells our credentials", version: "1.1 h2c", server: []turn{status(302, "Location: /next?token="+token), status(404)},
		tries: "status@transfer:W", requests: 2, end: "down status permanent", counts: "a1 f1", check: headSays("hello")},
	{id: "a Location that is a credential", server: []turn{status(302, "Location: "+token+"://"+password)},
		tries: "redirect_invalid@transfer:W", requests: 1, end: "down redirect_invalid permanent", counts: "a1 f1"},

	{id: "no reuse over HTTP/2", version: "h2c", server: statuses(503, 503, 200), with: changes(noReuse),
		tries: "2×status@transfer:W ok", requests: 3, connections: 3, end: "flaky success", waits: "750ms 1.25s", took: "2s", counts: "a3 r2 fl1"},
	{id: "plain HTTP is 1.1 by default", version: "auto", server: []turn{ok},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "204 and 304", version: "1.1 h2c", server: []turn{answer(304, ""), answer(204, "")}, with: changes(worth(probe.ReasonStatus, true)),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "a GOAWAY between two streams", version: "h2c", server: []turn{after(2*time.Second, ok), goaway(-2, http2.ErrCodeNo, stays), ok}, with: changes(post),
		play: besideAnother, tries: "h2_refused@wait:R +ok", requests: 3, connections: 2, end: "up success", counts: "a2 t1"},
	{id: "a connection that dies under two streams", version: "h2c", server: []turn{silent, fin, ok}, play: besideOneThatDies,
		tries: "stale_connection@wait:U +ok", requests: -1, connections: 3, end: "up success", counts: anyCounts},
	{id: "streams one at a time", version: "h2c", server: []turn{after(2*time.Second, ok), ok}, play: besideAnother, with: changes(perHost(1)),
		tries: "ok", requests: 2, connections: 1, end: "up success", counts: "a2"},
	{id: "1xx without end, HTTP/2", version: "h2c", server: []turn{hintsForEver},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1", check: readAtMost(18 << 20)},
	{id: "100, then the answer, HTTP/2", version: "h2c", server: []turn{{serve: func(p *peer) { p.header(103, false, []string{"link: </a>"}); p.answer(200, "hello", nil) }}},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "a header of 2 MB, HTTP/2", version: "h2c", server: []turn{greatHeader},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1", check: readAtMost(3 << 20)},
}

func backoff(k retry.BackoffKind) change { return func(s *setup) { s.policy.Backoff.Kind = k } }

// keyIs checks the key of every request.
func keyIs(key string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		for _, s := range l.sites[here].requests() {
			if s.key != key {
				l.t.Errorf("the key is %q, want %q", s.key, key)
			}
		}
	}
}

// headSays checks that the beginning of the body is kept; that it is masked laws see.
func headSays(text string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if head := r.Last().HTTP.BodyHead; !strings.HasPrefix(head, text) {
			l.t.Errorf("the body's head is %q, want one that begins with %q", head, text)
		}
	}
}

// besideAnother makes the run a second after another one has begun, which is to pass.
func besideAnother(l *lab, p *probe.Probe) *probe.Result {
	other := l.probe("other")
	done := make(chan *probe.Result)
	go func() { done <- l.run(other) }()
	time.Sleep(time.Second)
	r := l.run(p)
	if got := <-done; tries(got) != "ok" {
		l.t.Errorf("the run beside is %s, want ok", tries(got))
	}
	return r
}

// besideOneThatDies makes the run on a connection on which another's stream waits, and which dies.
func besideOneThatDies(l *lab, p *probe.Probe) *probe.Result {
	other := l.probe("other")
	done := make(chan *probe.Result)
	go func() { done <- l.run(other) }()
	time.Sleep(time.Second)
	r := l.run(p)
	if got := <-done; tries(got) != "disconnected@wait:U ok" {
		l.t.Errorf("the run beside is %s, want disconnected, then ok", tries(got))
	}
	return r
}

// hintsForEver sends 103 over and over, on a stream that has long been given up, too.
var hintsForEver = turn{serve: func(p *peer) {
	for p.header(103, false, []string{"link: </" + letters(1000) + ">"}) {
	}
}}

// greatHeader sends a header of 2 MB in frames that continue one another.
var greatHeader = turn{serve: func(p *peer) {
	var lines []string
	for range 200 {
		lines = append(lines, "a: "+letters(10_000))
	}
	p.header(200, true, lines)
}}
