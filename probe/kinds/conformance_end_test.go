package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// endRows are C52 to C56: what a run's end, a batch's end and cancellation make of it.
var endRows = []row{
	{id: "C52", server: statuses(503), with: changes(deadline(3 * time.Second)),
		tries: "3×status@transfer:W", requests: 3, end: "down status deadline_would_pass", waits: "750ms 1.25s", took: "2s", counts: "a3 r2 f1"},
	{id: "C53", version: "1.1 h2c", server: []turn{silent}, with: changes(deadline(15 * time.Second)),
		tries: "limit_sock_read@wait:U deadline@wait:U", requests: 2, end: "down deadline deadline", waits: "750ms", took: "15s",
		counts: "a2 r1 f1", check: bothEnds},
	{id: "C54", version: "1.1 h2c", server: statuses(503), play: cutAfter(300 * time.Millisecond),
		tries: "status@transfer:W", requests: 1, end: "unknown canceled canceled", waits: "750ms", took: "300ms", counts: "a1 u1", check: causeKept},
	{id: "C55", version: "1.1 h2c", server: []turn{silent}, play: cutAfter(12 * time.Second),
		tries: "limit_sock_read@wait:U canceled@wait:U", requests: 2, end: "unknown canceled canceled", waits: "750ms", took: "12s",
		counts: "a2 r1 u1", check: causeKept},
	{id: "C56", server: []turn{after(time.Second, ok)}, second: []turn{silent}, with: changes(batch(20 * time.Second)), play: amongAHundred,
		tries: "limit_sock_read@wait:U deadline@wait:U", requests: 101, end: "down deadline batch_deadline", waits: "750ms", took: "20s", counts: "a101 r1 f1"},

	// Beyond the table.
	{id: "a wait that ends at the deadline", server: statuses(503), with: changes(deadline(750 * time.Millisecond)),
		tries: "status@transfer:W", requests: 1, end: "down status deadline_would_pass", counts: "a1 f1"},
	{id: "a wait that ends just before it", server: statuses(503), with: changes(deadline(751 * time.Millisecond)),
		tries: "2×status@transfer:W", requests: 2, end: "down status deadline_would_pass", waits: "750ms", took: "750ms", counts: "a2 r1 f1"},
	{id: "an answer at the very deadline", version: "1.1 h2c", server: []turn{after(time.Second, ok)}, with: changes(deadline(time.Second)),
		tries: "ok | deadline@wait:U", requests: 1, end: "up success | down deadline deadline", took: "1s", counts: "a1 | a1 f1"},
	{id: "total and deadline at one instant", version: "1.1 h2c", server: []turn{silent}, with: changes(deadline(5*time.Second), total(5*time.Second)),
		tries: "deadline@wait:U", requests: 1, end: "down deadline deadline", took: "5s", counts: "a1 f1"},
	{id: "the batch's end before the first failure", version: "1.1 h2c", server: []turn{silent}, with: changes(batch(5 * time.Second)),
		tries: "deadline@wait:U", requests: 1, end: "unknown deadline batch_deadline", took: "5s", counts: "a1 u1"},
	{id: "the batch's end before the wait's", server: statuses(503), with: changes(batch(time.Second)),
		tries: "2×status@transfer:W", requests: 2, end: "down status deadline_would_pass", waits: "750ms", took: "750ms", counts: "a2 r1 f1"},
	{id: "wrong status, then the deadline in its body", version: "1.1 h2c", server: []turn{halfOf(500, silent)}, with: changes(deadline(5 * time.Second)),
		tries: "status@transfer:W", requests: 1, end: "down deadline deadline", took: "5s", counts: "a1 f1", check: tellsOf("status 500, want 2xx")},
	{id: "wrong status, then the batch's end in its body", version: "1.1 h2c", server: []turn{halfOf(500, silent)}, with: changes(batch(5 * time.Second)),
		tries: "status@transfer:W", requests: 1, end: "down deadline batch_deadline", took: "5s", counts: "a1 f1", check: tellsOf("status 500, want 2xx")},
	{id: "wrong header, then the deadline in its body", version: "1.1 h2c", server: []turn{half(silent)}, with: changes(wantsHeader, deadline(5*time.Second)),
		tries: "assertion@transfer:W", requests: 1, end: "down deadline deadline", took: "5s", counts: "a1 f1", check: tellsOf("X-Ready")},
	{id: "wrong status, then canceled in its body", version: "1.1 h2c", server: []turn{halfOf(500, silent)}, play: cutAfter(5 * time.Second),
		tries: "canceled@transfer:W", requests: 1, end: "unknown canceled canceled", took: "5s", counts: "a1 u1", check: causeKept},
	{id: "a batch that is over", server: []turn{ok}, with: changes(batch(0)), end: "unknown deadline batch_deadline", counts: "u1"},
	{id: "canceled before it began", server: []turn{ok}, play: cutBefore, end: "unknown canceled canceled", counts: "u1"},
}

var errShutdown = errors.New("the program was told to end")

// cutAfter cancels the run after d.
func cutAfter(d time.Duration) func(*lab, *probe.Probe) *probe.Result {
	return func(l *lab, p *probe.Probe) *probe.Result {
		time.AfterFunc(d, func() { l.cancel(errShutdown) })
		return l.run(p)
	}
}

func cutBefore(l *lab, p *probe.Probe) *probe.Result {
	l.cancel(errShutdown)
	return l.run(p)
}

// causeKept checks that a canceled run's error matches what the context says and the cause, and that no
// connection is left whose answer has not come.
func causeKept(l *lab, r *probe.Result) {
	if !errors.Is(r.Err, context.Canceled) || !errors.Is(r.Err, errShutdown) {
		l.t.Errorf("the error %v does not lead to Canceled and to the cause", r.Err)
	}
	synctest.Wait()
	for _, s := range l.sites {
		for _, c := range s.conns() {
			if r.Last().Reason == probe.ReasonCanceled && l.row.version == "1.1" && !c.(*memnet.Conn).Closed() {
				l.t.Error("the connection of the canceled attempt is still open")
			}
		}
	}
}

// tellsOf checks that the error of a run says a text.
func tellsOf(text string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if !strings.Contains(r.Err.Error(), text) || !strings.Contains(r.Last().Err.Error(), text) {
			l.t.Errorf("the errors are %q of the run and %q of its attempt, want %q in both", r.Err, r.Last().Err, text)
		}
	}
}

// bothEnds checks that the error of a run that its deadline cut leads to the failure before, too.
func bothEnds(l *lab, r *probe.Result) {
	var limit *conn.LimitError
	if !errors.Is(r.Err, context.DeadlineExceeded) || !errors.As(r.Err, &limit) || limit.Limit != probe.LimitSockRead {
		l.t.Errorf("the error %v does not lead to the deadline and to sock_read", r.Err)
	}
}

// amongAHundred makes the run of a silent target among ninety-nine that answer.
func amongAHundred(l *lab, _ *probe.Probe) *probe.Result {
	done := make(chan *probe.Result)
	for i := range 99 {
		p := l.probe(fmt.Sprint("p", i))
		go func() { done <- l.run(p) }()
	}
	r := l.run(l.probe("mute", func(s *setup) { s.host = there }))
	for range 99 {
		if r := <-done; r.Verdict != probe.Up || r.Duration != time.Second {
			l.t.Errorf("one of the 99 ended %s after %v, want up after 1s", end(r), r.Duration)
		}
	}
	return r
}

// stall is where an attempt can hang, and what the evidence is then.
type stall struct {
	phase    string
	evidence string
	server   []turn
	with     []change
	play     func(l *lab, p *probe.Probe) *probe.Result
	requests int
	versions string
}

// stalls hang in each of the phases. The one in the queue waits behind a run that holds the only
// connection.
func stalls() []stall {
	upload := changes(method("PUT"), body(letters(200_000)))
	return []stall{
		{"queue", "N", []turn{after(20*time.Second, ok)}, changes(perHost(1), connect(0), sockRead(0)), behindAnother, 0, ""},
		{"resolve", "N", []turn{searched}, changes(named, connect(0)), nil, 0, ""},
		{"connect", "N", []turn{unanswered}, changes(connect(0), sockConnect(0)), nil, 0, "1.1 h2c"},
		{"tls", "N", []turn{silent.on(atAccept)}, changes(https, connect(0), sockConnect(0)), nil, 0, "1.1 2"},
		{"write", "U", []turn{deaf}, upload, nil, 1, "1.1"},
		{"write, HTTP/2", "U", []turn{silent.on(atHeader)}, upload, nil, 1, "h2c"},
		{"wait", "U", []turn{silent}, nil, nil, 1, "1.1 h2c"},
		{"wait, header begun", "W", []turn{says("HTTP/1.1 200 OK\r\n", silent)}, nil, nil, 1, ""},
		{"transfer", "W", []turn{half(silent)}, nil, nil, 1, "1.1 h2c"},
	}
}

// cuts are rows in which an attempt hangs in each phase, and is cut after five seconds.
func cuts(name, reason, end, counts string, cut func(s *stall, r *row)) (rows []row) {
	for _, s := range stalls() {
		phase, _, _ := strings.Cut(s.phase, ",")
		r := row{
			id: name + " in " + s.phase, version: s.versions, server: s.server, with: s.with, play: s.play, requests: s.requests,
			tries: reason + "@" + phase + ":" + s.evidence, end: end, took: "5s", counts: counts,
		}
		cut(&s, &r)
		rows = append(rows, r)
	}
	return rows
}

func canceledRows() []row {
	return cuts("canceled", "canceled", "unknown canceled canceled", "a1 u1", func(s *stall, r *row) {
		hang := r.play
		r.play = func(l *lab, p *probe.Probe) *probe.Result {
			if hang == nil {
				return cutAfter(5*time.Second)(l, p)
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(5*time.Second, func() { cancel(errShutdown) })
			return behind(l, p, ctx)
		}
	})
}

func deadlineRows() []row {
	five := 5 * time.Second
	rows := cuts("deadline", "deadline", "down deadline deadline", "a1 f1", func(s *stall, r *row) {
		r.with, r.check = append(r.with, deadline(five)), tellsOf("the run's deadline has passed while ")
		if s.phase == "queue" {
			r.tries, r.end, r.counts = "pool_timeout@queue:N", "unknown pool_timeout deadline", "a1 u1"
		}
	})
	rows = append(rows, cuts("batch", "deadline", "unknown deadline batch_deadline", "a1 u1", func(_ *stall, r *row) {
		r.with, r.check = append(r.with, batch(five)), tellsOf("the batch's deadline has passed while ")
	})...)
	return append(rows, cuts("total", "limit_total", "down limit_total attempts", "a1 f1", func(s *stall, r *row) {
		r.with = append(r.with, total(five), attempts(1))
		if s.phase == "queue" {
			r.tries, r.end, r.counts = "pool_timeout@queue:N", "unknown pool_timeout attempts", "a1 u1"
		}
	})...)
}

// behindAnother makes the run while another holds the host's only connection, whose numbers do not count.
func behindAnother(l *lab, p *probe.Probe) *probe.Result { return behind(l, p, l.ctx) }

func behind(l *lab, p *probe.Probe, ctx context.Context) *probe.Result {
	holder := l.probe("holder", total(time.Minute), deadline(0))
	done := make(chan *probe.Result)
	go func() { done <- holder.Run(context.Background(), &retry.Engine{}, probe.Sinks{}) }()
	synctest.Wait()
	l.mark()
	r := p.Run(ctx, l.engine, l.sinks())
	l.afterwards = func() {
		if other := <-done; other.Verdict != probe.Up {
			l.t.Errorf("the run that held the connection ended %s", end(other))
		}
	}
	return r
}
