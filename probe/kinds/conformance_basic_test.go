package kinds_test

import (
	"errors"
	"slices"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// basicRows are C01 to C07, and what follows from statuses and from single breaks.
var basicRows = []row{
	{id: "C01", version: "1.1 h2c", server: []turn{ok},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "C02", version: "1.1 h2c", server: statuses(503, 503, 200),
		tries: "2×status@transfer:W ok", requests: 3, connections: 1, end: "flaky success",
		waits: "750ms 1.25s", took: "2s", counts: "a3 r2 fl1", check: lastTook(0)},
	{id: "C03", version: "1.1 h2c", server: statuses(503),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1"},
	{id: "C04", version: "1.1 h2c", server: statuses(404),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "C06", server: statuses(408, 200),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "C07", server: statuses(500), with: changes(attempts(1)),
		tries: "status@transfer:W", requests: 1, end: "down status attempts", counts: "a1 f1"},

	// A request that is read and never answered, on a connection that is new.
	{id: "C20", version: "1.1 h2c", server: []turn{fin, ok},
		tries: "disconnected@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "C26", version: "1.1 h2c", server: []turn{half(fin), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},

	// A body of 3 kB is drained, so that the connection lives; one of 10 MiB is not worth it.
	{id: "C60 short", server: []turn{answer(503, letters(3000)), answer(503, letters(3000)), answer(503, letters(3000)), ok},
		tries: "3×status@transfer:W ok", requests: 4, connections: 1, end: "flaky success",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 fl1"},
	{id: "C60 long", server: []turn{answer(503, letters(10<<20))},
		tries: "4×status@transfer:W", requests: 4, connections: 4, end: "down status attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1", check: readAtMost(4 * (64 << 10))},
	{id: "C63", server: []turn{says("HTTP/1.1 200 OK\r\n\r\nhello", fin)},
		tries: "ok", requests: 1, end: "up success", counts: "a1", check: lengthUnverified},
	{id: "C65", server: statuses(503), with: changes(attempts(100)),
		tries: "100×status@transfer:W", requests: 100, end: "down status attempts",
		waits: growing(99), took: growingTook(99), counts: "a100 r99 f1", check: cappedWaits},
	{id: "C68", server: statuses(503),
		tries: "4×status@transfer:W", requests: 4, end: "down status attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1", check: toldInOrder},
	{id: "C69", server: []turn{refused, status(503), silent, status(500)},
		tries: "connect_refused@connect:N status@transfer:W limit_sock_read@wait:U status@transfer:W", requests: 3,
		end: "down status attempts", waits: "750ms 1.25s 2.25s", took: "14.25s", counts: "a4 r3 f1", check: lastErrorOnly},

	// Beyond the table.
	{id: "wrong status beats a cut body", version: "1.1 h2c", server: []turn{{serve: func(p *peer) { p.begin(404, 10, "hello"); fin.serve(p) }}},
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "expected beats retryable", server: statuses(503), with: changes(expected([2]int{503, 503})),
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "no retryable status", server: statuses(503), with: changes(retryable()),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "transient status beats the set", server: statuses(404, 200), with: changes(worth(probe.ReasonStatus, true)),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "assertion", version: "1.1 h2c", server: []turn{answer(200, "sold out")}, with: changes(matched),
		tries: "assertion@transfer:W", requests: 1, end: "down assertion permanent", counts: "a1 f1"},
	{id: "no reuse", server: statuses(503, 503, 200), with: changes(noReuse),
		tries: "2×status@transfer:W ok", requests: 3, connections: 3, end: "flaky success",
		waits: "750ms 1.25s", took: "2s", counts: "a3 r2 fl1"},
	{id: "HEAD", version: "1.1 h2c", server: []turn{answer(503, ""), answer(200, "")}, with: changes(method("HEAD")),
		tries: "status@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
}

// letters is a body of n bytes.
func letters(n int) string { return string(slices.Repeat([]byte("x"), n)) }

// lastTook checks the last attempt's duration, which is that of the attempt alone.
func lastTook(d time.Duration) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if got := r.Last().Duration; got != d {
			l.t.Errorf("the last attempt took %v, want %v", got, d)
		}
	}
}

// readAtMost checks how much of the bodies the prober took; what the buffer in between took comes on top.
func readAtMost(n int64) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		s := l.sites[here]
		s.mu.Lock()
		defer s.mu.Unlock()
		if most := n + int64(len(s.accepted))*(64<<10+8<<10); s.sent > most {
			l.t.Errorf("%d bytes went out, want at most %d", s.sent, most)
		}
	}
}

func lengthUnverified(l *lab, r *probe.Result) {
	if !r.Last().HTTP.LengthUnverified {
		l.t.Error("the end of a body that nothing announced counts as verified")
	}
}

// growing are the first n waits of policy S, chance being a half.
func growing(n int) string {
	text := "750ms 1.25s 2.25s 4.25s 8.25s"
	for range n - 5 {
		text += " 10.25s"
	}
	return text
}

func growingTook(n int) string {
	return (16*time.Second + 750*time.Millisecond + time.Duration(n-5)*10250*time.Millisecond).String()
}

// cappedWaits checks that no wait is 0 or above cap and jitter.
func cappedWaits(l *lab, r *probe.Result) {
	for i, a := range r.Attempts[:len(r.Attempts)-1] {
		if a.Wait <= 0 || a.Wait > 10500*time.Millisecond || i >= 5 && a.Wait < 10*time.Second {
			l.t.Errorf("the wait after attempt %d is %v", a.Number, a.Wait)
		}
	}
}

// toldInOrder checks that what a log line needs of each retry was told; the URL is redacted by laws.
func toldInOrder(l *lab, r *probe.Result) {
	for i, a := range r.Attempts {
		if a.Number != i+1 || a.Err.Error() != "status 503, want 2xx" || a.Method != "GET" || (a.Wait > 0) != (i < 3) {
			l.t.Errorf("attempt %d of 4 is told as %+v", i+1, a)
		}
	}
	if want := "http://192.0.2.1/?token=<secret>"; r.Probe.Target != want {
		l.t.Errorf("the target is %s, want %s", r.Probe.Target, want)
	}
	for _, s := range l.sites[here].requests() {
		if s.credentials == "" {
			l.t.Error("the user of the URL was not sent")
		}
	}
}

// lastErrorOnly checks that the run's error leads to the fourth attempt's, and to no other.
func lastErrorOnly(l *lab, r *probe.Result) {
	if errors.Is(r.Err, syscall.ECONNREFUSED) || errors.As(r.Err, new(*conn.LimitError)) {
		l.t.Errorf("the error %v leads to an earlier attempt's", r.Err)
	}
}
