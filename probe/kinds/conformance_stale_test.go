package kinds_test

import (
	"fmt"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// staleRows are C38 to C41: kept connections that have died.
var staleRows = []row{
	{id: "C38", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "C39", server: append(times(6, after(time.Second, ok)), fin, ok), play: afterSix,
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 7, end: "up success", counts: "a1 t1", check: onlyOneOpen},
	{id: "C41", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1, with: changes(transparent(0)),
		tries: "stale_connection@wait:U ok", requests: 2, connections: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},

	// Beyond the table.
	{id: "stale by RST", version: "1.1 h2c", server: []turn{ok, rst, ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "stale POST", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1, with: changes(post),
		tries: "stale_connection@wait:U ok", requests: 2, connections: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 amb1 fl1"},
	{id: "stale POST, before_send", version: "1.1 h2c", server: []turn{ok, fin}, prior: 1, with: changes(post, unsafe(retry.UnsafeBeforeSend)),
		tries: "stale_connection@wait:U", requests: 1, end: "down stale_connection unsafe_after_send", counts: "a1 f1"},
	{id: "stale POST with a key", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1, with: changes(post, keyed),
		tries: "stale_connection@wait:U +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "stale PUT", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1, with: changes(method("PUT")),
		tries: "stale_connection@wait:U +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "stale on the last attempt", server: []turn{ok, fin, ok}, prior: 1, with: changes(attempts(1)),
		tries: "stale_connection@wait:U +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "the transparent one fails too", version: "1.1 h2c", server: []turn{ok, fin, fin, ok}, prior: 1,
		tries: "stale_connection@wait:U +disconnected@wait:U ok", requests: 3, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 t1 fl1"},
	{id: "stale twice is transparent once", server: []turn{ok, fin, status(503), fin, ok}, prior: 1,
		tries: "stale_connection@wait:U +status@transfer:W stale_connection@wait:U ok", requests: 4, end: "flaky success",
		waits: "750ms 1.25s", took: "2s", counts: "a3 r2 t1 fl1"},
	{id: "closed while idle", version: "1.1 h2c", server: []turn{then(ok, time.Second, fin), ok}, prior: 1, gap: 2 * time.Second,
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "reset while idle", version: "1.1 h2c", server: []turn{then(ok, time.Second, rst), ok}, prior: 1, gap: 2 * time.Second,
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "408 while idle", server: []turn{then(ok, time.Second, says("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", fin)), ok},
		prior: 1, gap: 2 * time.Second,
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "half an answer on a kept connection", server: []turn{ok, says("HTTP/1.1 2", fin), ok}, prior: 1,
		tries: "header_truncated@wait:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "silence on a kept connection is no staleness", version: "1.1 h2c", server: []turn{ok, silent, ok}, prior: 1,
		tries: "limit_sock_read@wait:U ok", requests: 2, connections: 2, end: "flaky success", waits: "750ms", took: "10.75s", counts: "a2 r1 fl1"},
	{id: "too old to be used again", server: []turn{ok}, prior: 1, gap: 9 * time.Second, with: changes(maxAge(5 * time.Second)),
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "not due before its idle timeout", server: []turn{ok}, prior: 1, with: changes(every(time.Hour)),
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
}

// then does one turn, and, without a request, another some time later.
func then(first turn, d time.Duration, next turn) turn {
	return turn{serve: func(p *peer) {
		first.serve(p)
		time.Sleep(d)
		next.serve(p)
	}}
}

// onlyOneOpen checks that the connections of a host are dropped of which one has proved stale.
func onlyOneOpen(l *lab, r *probe.Result) {
	synctest.Wait()
	open := 0
	for _, c := range l.sites[here].conns() {
		if !c.(*memnet.Conn).Closed() {
			open++
		}
	}
	if open != 1 {
		l.t.Errorf("%d connections are open, want the new one", open)
	}
}

func maxAge(d time.Duration) change { return func(s *setup) { s.connection.MaxAge = d } }
func every(d time.Duration) change  { return func(s *setup) { s.interval = d } }

// afterSix makes the run when six connections of other probes are idle, all of which the server closes
// at the next request on any.
func afterSix(l *lab, p *probe.Probe) *probe.Result {
	done := make(chan *probe.Result)
	for i := range 6 {
		other := l.probe(fmt.Sprint("other", i))
		go func() { done <- l.run(other) }()
	}
	for range 6 {
		if r := <-done; r.Verdict != probe.Up {
			l.t.Errorf("a run before ended %s", end(r))
		}
	}
	l.turnPage()
	return l.run(p)
}
