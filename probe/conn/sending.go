package conn

import (
	"context"
	"net/http/httptrace"
	"time"

	"sonde/probe"
)

// sending is the context of a request that the HTTP/2 client has: it ends with the call, and has the hooks by which
// that client tells of the request's progress. A request may have to wait there for its turn, for a stream that
// is free or while another's write goes on. So that it is known of one that is cut then whether it can still go
// out, what the client asks its context is counted.
type sending struct {
	context.Context // the call's
	trace           context.Context
	hooks           httptrace.ClientTrace
	call            *Call
	link            *link
	hop             int
	body            lent
	over            chan struct{} // closed with the call
	// What is announced. The HTTP/2 client writes a request on one goroutine.
	announced bool
	stream    *stream
	// Under the call's lock.
	ended  bool
	before int // how often Done was called before the end
	asked  int // how often in all
}

// The HTTP/2 client asks for Done three times before the request goes out: where it waits for the answer, where
// it waits for its turn, and when that has come. What the last has been told decides.
const (
	asksInTurn = 3
	asksToWait = 2
)

// give makes the context of a request that the HTTP/2 client is about to get. Until it goes out the call queues,
// for what is the peer's to give.
func (c *Call) give(l *link) *sending {
	s := &sending{Context: c.ctx, call: c, link: l, hop: c.hop, over: make(chan struct{})}
	s.hooks.WroteRequest, s.hooks.WroteHeaderField = s.wroteRequest, s.announces
	s.trace = httptrace.WithClientTrace(context.Background(), &s.hooks)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.given, c.x.queued, c.x.awaited = s, true, true
	if now := c.now(); !c.past(now) {
		c.enter(probe.PhaseQueue, now)
	}
	if c.isCut() {
		s.end()
	}
	return s
}

// Value is the trace's value, or the call's.
func (s *sending) Value(key any) any {
	if v := s.trace.Value(key); v != nil {
		return v
	}
	return s.Context.Value(key)
}

// Done is closed with the call's end.
func (s *sending) Done() <-chan struct{} {
	s.call.mu.Lock()
	defer s.call.mu.Unlock()
	if s.asked++; !s.ended {
		s.before++
	}
	return s.over
}

// Err is context.Canceled once Done is closed.
func (s *sending) Err() error {
	select {
	case <-s.over:
		return context.Canceled
	default:
		return nil
	}
}

// end tells the HTTP/2 client that the call is over. The call's lock is held.
func (s *sending) end() {
	if s == nil || s.ended {
		return
	}
	s.ended = true
	close(s.over)
}

// mayGo is true when the request may go out although the call is over. Where two of the three questions came before
// that, one of them was the wait for the answer, unless there was another later. The call's lock is held.
func (s *sending) mayGo() bool {
	return s != nil && (s.before >= asksInTurn || s.before == asksToWait && s.asked > asksToWait)
}

// announces ties the request to the stream that begins next. It is called for each field of the header
// before any of it goes out: an answer may come before the HTTP/2 client tells that it has written.
func (s *sending) announces(string, []string) {
	defer s.call.guard()
	if s.announced {
		return
	}
	s.announced = true
	s.stream = s.call.newStream(s)
	s.link.frames.announce(s.stream)
}

// newStream is the stream of a request whose turn has come, before it begins; nil when its hop is over.
func (c *Call) newStream(s *sending) *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hop != s.hop || c.x.left || c.ended {
		return nil
	}
	c.x.stream = &stream{call: c}
	c.goesOut(c.now())
	return c.x.stream
}

// goesOut moves from the queue for a turn to write. The lock is held.
func (c *Call) goesOut(now time.Duration) {
	if c.phase != probe.PhaseQueue || c.past(now) || c.isCut() {
		return
	}
	c.limits.rest(connect)
	c.enter(probe.PhaseWrite, now)
}
