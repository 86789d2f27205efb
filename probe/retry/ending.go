package retry

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Watcher is told of the end of a try's context.
type Watcher interface {
	// Ended is called at most once, on a goroutine of its own, soon after the context has ended. A panic in it ends
	// the process, as one of the engine's timers would, which do nothing else: whose it is only the watcher can say.
	Ended()
}

// Watch has w told when the context of a try ends, as context.AfterFunc would, and needs no memory for it. It is
// false, and w will hear nothing, of any other context, be it one below, and while there is another watcher.
func Watch(ctx context.Context, w Watcher) bool {
	e := endingOf(ctx)
	return e != nil && e.watch(w)
}

// Unwatch ends what Watch began. Ended may be going on, or about to, all the same.
func Unwatch(ctx context.Context, w Watcher) {
	if e := endingOf(ctx); e != nil {
		e.unwatch(w)
	}
}

// endingOf is the context of the run whose try's context it is; nil of any other.
func endingOf(ctx context.Context) *ending {
	if s, ok := ctx.(*spanned); ok {
		ctx = s.Context
	}
	e, _ := ctx.(*ending)
	return e
}

// ending is the context of a run. It ends with its parent, or by the engine. The context of package context that
// it stands for is made only for those who ask for more than Err and Watch can tell.
type ending struct {
	parent context.Context
	cause  atomic.Pointer[error] // of the engine's; nil when the parent ended first

	mu      sync.Mutex
	watcher Watcher
	made    context.Context // nil until it is needed
	cancel  context.CancelCauseFunc
}

// why is the cause of the end, nil while the context has not ended.
func (e *ending) why() error {
	if cause := e.cause.Load(); cause != nil {
		return *cause
	}
	return context.Cause(e.parent)
}

// end ends the context with a cause of the engine's, unless its parent has ended.
func (e *ending) end(cause error) {
	if e.parent.Err() == nil && e.cause.CompareAndSwap(nil, &cause) {
		e.tell(cause)
	}
}

// tell tells those who wait for the end.
func (e *ending) tell(cause error) {
	e.mu.Lock()
	w := e.watcher
	e.watcher = nil
	if e.cancel != nil {
		e.cancel(cause)
	}
	e.mu.Unlock()
	if w != nil {
		w.Ended()
	}
}

// finish ends the context with its run. Nobody is told.
func (e *ending) finish() {
	e.cause.CompareAndSwap(nil, &context.Canceled)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watcher = nil
	if e.cancel != nil {
		e.cancel(nil)
	}
}

func (e *ending) watch(w Watcher) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.watcher != nil:
		return false
	case e.Err() != nil:
		go w.Ended()
	default:
		e.watcher = w
	}
	return true
}

func (e *ending) unwatch(w Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watcher == w {
		e.watcher = nil
	}
}

// Deadline is none, also where the parent has one, which ends this one too.
func (e *ending) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed with the end.
func (e *ending) Done() <-chan struct{} { return e.context().Done() }

// Err is not nil once the context has ended.
func (e *ending) Err() error {
	if e.cause.Load() != nil {
		return context.Canceled
	}
	return e.parent.Err()
}

// Value is the parent's.
func (e *ending) Value(key any) any { return e.context().Value(key) }

// context makes the context that this stands for.
func (e *ending) context() context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made == nil {
		e.made, e.cancel = context.WithCancelCause(e.parent)
	}
	if cause := e.why(); cause != nil {
		e.cancel(cause) // Err may tell of the end before who has brought it about gets round to this
	}
	return e.made
}
