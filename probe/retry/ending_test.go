package retry

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// heard counts how often it was told of an end.
type heard struct{ times atomic.Int32 }

func (h *heard) Ended() { h.times.Add(1) }

// TestWatch has a try watched whose run ends by its deadline, by its caller, or by passing.
func TestWatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ends  time.Duration // by the caller; 0 is never
		takes time.Duration
		cause error
		err   error
	}{
		{"deadline", 0, time.Hour, ErrDeadline, context.Canceled},
		{"caller", time.Second, time.Hour, errShutdown, context.Canceled},
		{"passes", 0, time.Second, nil, nil},
		{"passes before the caller ends", 2 * time.Second, time.Second, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if c.ends > 0 {
					time.AfterFunc(c.ends, func() { cancel(errShutdown) })
				}
				p := standard()
				p.Deadline = 10 * time.Second
				var first, second heard
				new(Engine).Run(ctx, p, "", tryFunc(func(ctx context.Context) Outcome {
					if !Watch(ctx, &first) || Watch(ctx, &second) {
						t.Error("want the first watcher to be taken, and no second")
					}
					select {
					case <-time.After(c.takes):
					case <-ctx.Done():
						synctest.Wait()
					}
					if got := context.Cause(ctx); !errors.Is(got, c.cause) || ctx.Err() != c.err {
						t.Errorf("got %v and %v, want %v and %v", got, ctx.Err(), c.cause, c.err)
					}
					return Outcome{OK: true}
				}))
				time.Sleep(time.Minute)
				want := int32(0)
				if c.cause != nil {
					want = 1
				}
				if got := first.times.Load(); got != want || second.times.Load() != 0 {
					t.Errorf("told %d and %d times, want %d and none", got, second.times.Load(), want)
				}
				cancel(nil)
			})
		})
	}
}

// TestWatchTellsOfTheTrysContextAlone: one below may end before, and an ended one tells at once.
func TestWatchTellsOfTheTrysContextAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var h heard
		new(Engine).Run(ctx, standard(), "", tryFunc(func(ctx context.Context) Outcome {
			below, end := context.WithCancel(ctx)
			defer end()
			if Watch(below, &h) || Watch(context.Background(), &h) {
				t.Error("a context is watched that is not the try's")
			}
			cancel()
			if !Watch(ctx, &h) {
				t.Error("the try's context is not watched")
			}
			return Outcome{OK: true}
		}))
		synctest.Wait()
		if got := h.times.Load(); got != 1 {
			t.Errorf("told %d times of an end that had come, want once", got)
		}
	})
}

// TestAlarmIsUsedAgain has runs of one context follow one another, and keeps nothing once the context has ended.
func TestAlarmIsUsedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, p := new(Engine), standard()
		p.Deadline = 10 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 6 {
			task := play(passes.taking(time.Second))
			if i == 3 {
				task = play(passes.taking(time.Hour))
			}
			began := time.Now()
			got := e.Run(ctx, p, "", task)
			want := Summary{Stop: StopSuccess, Started: began, Duration: time.Second}
			if i == 3 {
				want = Summary{Stop: StopDeadline, Cause: ErrDeadline, Started: began, Duration: 10 * time.Second}
			}
			if got != want {
				t.Errorf("run %d: got %+v, want %+v", i, got, want)
			}
			if a := e.alarms.idle[ctx.Done()]; i != 3 && (a == nil || a.next != nil) || i == 3 && a != nil {
				t.Errorf("run %d: the idle alarm is %+v", i, a)
			}
		}
		cancel()
		synctest.Wait()
		if n := len(e.alarms.idle); n != 0 {
			t.Errorf("%d alarms are kept of a context that has ended", n)
		}
	})
}

// BenchmarkRunThatCanBeCanceled is a run of a context that can end, as all of a scheduler's are.
func BenchmarkRunThatCanBeCanceled(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	e, p := new(Engine), standard()
	p.Deadline = time.Minute
	var h heard
	task := tryFunc(func(ctx context.Context) Outcome {
		if !Watch(ctx, &h) {
			b.Fatal("not watched")
		}
		Unwatch(ctx, &h)
		return Outcome{OK: true}
	})
	b.ReportAllocs()
	for b.Loop() {
		if s := e.Run(ctx, p, "", task); s.Stop != StopSuccess {
			b.Fatal(s.Stop)
		}
	}
}

// TestTheCauseIsKnownWithTheEnd: once Err tells of an end, Cause names it, though nobody has been told yet, be the
// context of package context made before or after.
func TestTheCauseIsKnownWithTheEnd(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{true, false} {
		e := &ending{parent: t.Context()}
		if before {
			e.Done()
		}
		e.cause.Store(&ErrDeadline)
		if got := context.Cause(e); e.Err() == nil || got != ErrDeadline {
			t.Errorf("made before %v: the cause is %v, want %v", before, got, ErrDeadline)
		}
		select {
		case <-e.Done():
		default:
			t.Errorf("made before %v: not done", before)
		}
	}
}

// late is a parent that has ended, of which those below have yet to hear.
type late struct {
	context.Context
	done chan struct{}
}

func (l late) Done() <-chan struct{} { return l.done }

// TestTheCauseIsKnownWithTheParentsEnd is the same of an end that the caller brings about.
func TestTheCauseIsKnownWithTheParentsEnd(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancelCause(t.Context())
	l := late{parent, make(chan struct{})}
	defer close(l.done)
	e := &ending{parent: l}
	e.Done()
	cancel(errShutdown)
	if got := context.Cause(e); got != errShutdown {
		t.Errorf("the cause is %v, want %v", got, errShutdown)
	}
}
