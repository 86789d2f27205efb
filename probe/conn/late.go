package conn

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
)

// How often the watch beats, and what of a beat's lateness is a timer's usual imprecision.
const (
	beat  = 10 * time.Millisecond
	slack = 2 * time.Millisecond
)

// watch measures by how much this process runs late: a timer whose beats come when they can. It beats
// while calls are in progress. Limits run on the time that is left when its lateness is taken away, so
// that a starved process does not spend a target's time.
type watch struct {
	epoch time.Time
	mu    sync.Mutex
	timer *time.Timer // under mu
	calls atomic.Int64
	begun atomic.Int64 // calls ever begun
	seen  int64        // begun at the last beat

	state atomic.Int32 // 0 still, 1 beating, 2 stopped for good
	due   atomic.Int64 // when the next beat is due, after epoch
	sum   atomic.Int64 // the lateness of all beats
}

// join says that a call begins.
func (w *watch) join() {
	w.calls.Add(1)
	w.begun.Add(1)
	if w.state.CompareAndSwap(0, 1) {
		w.next()
	}
}

func (w *watch) leave() { w.calls.Add(-1) }

// next plans a beat. Only the one who has set state to 1, and then the beat itself, calls it.
func (w *watch) next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due.Store(int64(time.Since(w.epoch) + beat))
	if w.timer == nil {
		w.timer = time.AfterFunc(beat, w.tick)
		return
	}
	w.timer.Reset(beat)
}

// tick is a beat. It goes to the end of the run queue first, so that waiting there counts.
func (w *watch) tick() {
	runtime.Gosched()
	w.sum.Add(int64(w.overdue()))
	w.due.Store(int64(time.Since(w.epoch)))
	begun := w.begun.Load()
	idle := w.calls.Load() == 0 && begun == w.seen
	w.seen = begun
	if !idle {
		if w.state.Load() == 1 {
			w.next()
		}
		return
	}
	w.state.CompareAndSwap(1, 0)
	if w.calls.Load() > 0 && w.state.CompareAndSwap(0, 1) {
		w.next() // a call began between the two
	}
}

// overdue is by how much the next beat is late by now.
func (w *watch) overdue() time.Duration {
	return max(0, time.Since(w.epoch)-time.Duration(w.due.Load())-slack)
}

// late is by how much the process has been late in all.
func (w *watch) late() time.Duration {
	late := time.Duration(w.sum.Load())
	if w.state.Load() == 1 {
		late += w.overdue()
	}
	return late
}

// stop ends the beating for good.
func (w *watch) stop() { w.state.Store(2) }

// late is by how much the process has been late since the call began.
func (c *Call) late() time.Duration { return c.net.watch.late() - c.lateBefore }

// unstarved is the clock on which the limits run. It runs at an eighth of the pace of time at the least, so
// that no starvation keeps a limit from firing.
func (c *Call) unstarved() time.Duration {
	now := c.now()
	return max(now-c.late(), now/8)
}

// ours asks the socket, when limit i or the run's end is due, whether the target is to blame: bytes
// that wait to be read, or a connection that is made, mean that it has done its part and we have not.
// Where bytes may wait in the ordinary course of things, the watch must have seen us late as well; on an
// HTTP/2 connection, where they may be another stream's or nobody's, very late. The lock is held.
func (c *Call) ours(i int) bool {
	late := c.late() > 0
	sure := true
	if l := c.x.link; l != nil && l.h2 {
		late = c.late() > c.now()/3
		sure = late
	}
	switch c.phase {
	case probe.PhaseConnect:
		return slices.ContainsFunc(c.dials, writable)
	case probe.PhaseTLS, probe.PhaseWait:
		return sure && readable(c.raw)
	case probe.PhaseTransfer:
		return (late || sure && i == sockRead) && readable(c.raw)
	case probe.PhaseWrite:
		return late && writable(socketOf(c.raw))
	}
	return false
}

// blameUs notes that the attempt is ended by our own lateness. The lock is held.
func (c *Call) blameUs() { c.lateBy = max(c.late(), time.Nanosecond) }

// parentEnded ends the call with its parent. A run's deadline is a limit too: the socket is asked
// before the connection goes.
func (c *Call) parentEnded() {
	c.mu.Lock()
	if !c.ended && errors.Is(c.cut(), probe.ErrDeadline) && c.ours(total) {
		c.blameUs()
	}
	c.cutWith(c.cut())
	c.mu.Unlock()
}
