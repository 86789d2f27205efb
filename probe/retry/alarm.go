package retry

import (
	"context"
	"sync"
	"time"
)

// alarm ends runs, one after the other: at their deadline, or when the context ends that they were begun with. It
// is kept for the next run of the same context: a timer and the promise to be told of an end take more of the
// processor than the rest of what the engine does.
type alarm struct {
	alarms *alarms
	done   <-chan struct{} // of the context
	forget func() bool     // ends the promise to be told of its end; nil where it never ends
	timer  *time.Timer     // nil before the first deadline
	next   *alarm          // under alarms.mu

	mu   sync.Mutex
	run  *ending     // nil while none goes
	late error       // with which the deadline ends it
	stop func() bool // keeps the deadline from being rung; nil where there is none
}

// alarms are those that ring for no run at the moment, by the end of their contexts. The zero value is ready.
type alarms struct {
	mu   sync.Mutex
	idle map[<-chan struct{}]*alarm
}

// take is an alarm for a run of the context.
func (s *alarms) take(ctx context.Context) *alarm {
	done := ctx.Done()
	s.mu.Lock()
	a := s.idle[done]
	if a != nil {
		s.set(done, a.next)
	}
	s.mu.Unlock()
	if a == nil {
		a = &alarm{alarms: s, done: done}
		if done != nil {
			a.forget = context.AfterFunc(ctx, a.ended)
		}
	}
	return a
}

// set makes an alarm the first of those of a context; nil is none. The lock is held.
func (s *alarms) set(done <-chan struct{}, a *alarm) {
	switch {
	case a == nil:
		delete(s.idle, done)
	case s.idle == nil:
		s.idle = map[<-chan struct{}]*alarm{done: a}
	default:
		s.idle[done] = a
	}
}

// keep puts an alarm back for the next run of a context, unless that has ended.
func (s *alarms) keep(a *alarm, ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		a.next = s.idle[a.done]
		s.set(a.done, a)
	}
}

// drop forgets the idle alarms of a context that has ended.
func (s *alarms) drop(done <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(done, nil)
}

// watch has the alarm end a run with its context.
func (a *alarm) watch(run *ending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = run
}

// after has the alarm end the run after d, too, with a cause.
func (a *alarm) after(d time.Duration, cause error, c Clock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late = cause
	switch {
	case c != nil:
		a.stop = c.AfterFunc(d, a.ring)
	case a.timer != nil:
		a.timer.Reset(d)
	default:
		a.timer = time.AfterFunc(d, a.ring)
		a.stop = a.timer.Stop
	}
}

// silence keeps the deadline from being rung, until after is called anew.
func (a *alarm) silence() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.late != nil {
		a.stop()
	}
}

// ring ends the run at its deadline.
func (a *alarm) ring() {
	a.mu.Lock()
	run, cause := a.run, a.late
	a.mu.Unlock()
	if run != nil {
		run.end(cause)
	}
}

// ended ends the run with its context, of which no other run will come.
func (a *alarm) ended() {
	a.alarms.drop(a.done)
	a.mu.Lock()
	run := a.run
	a.mu.Unlock()
	if run != nil {
		run.tell(run.why())
	}
}

// rest says that the run has ended. An alarm that has rung, or is about to, is not used again: the next run is not to
// hear it.
func (a *alarm) rest(ctx context.Context) {
	a.mu.Lock()
	a.run = nil
	late := a.late != nil && !a.stop()
	a.late = nil
	a.mu.Unlock()
	switch {
	case !late:
		a.alarms.keep(a, ctx)
	case a.forget != nil:
		a.forget()
	}
}
