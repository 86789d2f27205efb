package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errShutdown = errors.New("shutting down")

func TestCanceled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		after         time.Duration
		steps         []step
		tries, waited int
	}{
		{"C54 in the first wait", 300 * ms, []step{answers}, 1, 1},
		{"C55 in the second attempt", time.Second, []step{answers, answers.taking(time.Hour)}, 2, 1},
		{"in the first attempt", time.Second, []step{passes.taking(time.Hour)}, 1, 0},
		{"before it began", -1, []step{passes}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if c.after < 0 {
					cancel(errShutdown)
				} else {
					time.AfterFunc(c.after, func() { cancel(errShutdown) })
				}
				task := play(c.steps...)
				got := (&Engine{Chance: half}).Run(ctx, standard(), "", task)
				if got.Stop != StopCanceled || got.Duration != max(0, c.after) {
					t.Errorf("stop %s after %v, want canceled after %v", got.Stop, got.Duration, c.after)
				}
				if !errors.Is(got.Cause, context.Canceled) || !errors.Is(got.Cause, errShutdown) {
					t.Errorf("the cause is %v, want one that is both canceled and %v", got.Cause, errShutdown)
				}
				if len(task.tries) != c.tries || len(task.waited) != c.waited {
					t.Errorf("%d tries and %d waits, want %d and %d", len(task.tries), len(task.waited), c.tries, c.waited)
				}
			})
		})
	}
}

func TestThePlainCancelHasNoSecondCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := new(Engine).Run(ctx, standard(), "", play(passes)); got.Cause != context.Canceled {
		t.Errorf("the cause is %v, want %v", got.Cause, context.Canceled)
	}
}

func TestACallersDeadlineIsACancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := new(Engine).Run(ctx, standard(), "", play(passes.taking(time.Hour)))
		if got.Stop != StopCanceled || !errors.Is(got.Cause, context.DeadlineExceeded) || errors.Is(got.Cause, ErrDeadline) {
			t.Errorf("stop %s by %v, want canceled by a deadline that is not the run's", got.Stop, got.Cause)
		}
	})
}

// TestDeadlines lets the run's deadline and the batch's end come in every order.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct {
		name       string
		run, batch time.Duration // 0 is none
		stop       Stop
		cause      error
		ends       time.Duration
		tries      int
	}{
		{"the run's first", 5 * s, 9 * s, StopDeadline, ErrDeadline, 5 * s, 1},
		{"the batch's first", 9 * s, 5 * s, StopBatchDeadline, ErrBatchDeadline, 5 * s, 1},
		{"a tie is the batch's", 5 * s, 5 * s, StopBatchDeadline, ErrBatchDeadline, 5 * s, 1},
		{"the batch's alone", 0, 5 * s, StopBatchDeadline, ErrBatchDeadline, 5 * s, 1},
		{"the run's alone", 5 * s, 0, StopDeadline, ErrDeadline, 5 * s, 1},
		{"a batch that is over", 0, -s, StopBatchDeadline, ErrBatchDeadline, 0, 0},
		{"a batch that ends as the run begins", 9 * s, -1, StopBatchDeadline, ErrBatchDeadline, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, p, task := &Engine{Chance: half}, standard(), play(passes.taking(time.Hour))
				p.Deadline = c.run
				if c.batch != 0 {
					e.End = time.Now().Add(c.batch)
				}
				got := e.Run(t.Context(), p, "", task)
				if got.Stop != c.stop || got.Cause != c.cause || got.Duration != c.ends || len(task.tries) != c.tries {
					t.Errorf("stop %s by %q after %v and %d tries, want %s by %q after %v and %d",
						got.Stop, got.Cause, got.Duration, len(task.tries), c.stop, c.cause, c.ends, c.tries)
				}
				if !errors.Is(got.Cause, context.DeadlineExceeded) {
					t.Errorf("%v does not match %v", got.Cause, context.DeadlineExceeded)
				}
				if c.tries > 0 && task.cause != c.cause {
					t.Errorf("the attempt was told %v, want %v", task.cause, c.cause)
				}
			})
		})
	}
}

func TestTheBatchsEndForbidsAWaitToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, task := &Engine{Chance: half, End: time.Now().Add(2 * time.Second)}, play(answers)
		got := e.Run(t.Context(), standard(), "", task)
		if got.Stop != StopDeadlineWouldPass || got.Duration != 750*ms || len(task.tries) != 2 {
			t.Errorf("stop %s after %v and %d tries, want %s after 750ms and 2",
				got.Stop, got.Duration, len(task.tries), StopDeadlineWouldPass)
		}
	})
}

func TestNoContextCarriesADeadline(t *testing.T) {
	t.Parallel()
	e, p := &Engine{End: time.Now().Add(time.Hour)}, standard()
	p.Deadline = time.Minute
	parent, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, ctx := range []context.Context{t.Context(), parent} {
		e.Run(ctx, p, "", tryFunc(func(ctx context.Context) Outcome {
			below, cancel := context.WithCancel(ctx)
			defer cancel()
			for _, ctx := range []context.Context{ctx, below} {
				if at, ok := ctx.Deadline(); ok {
					t.Errorf("the attempt's context carries the deadline %v, which a socket would inherit", at)
				}
			}
			return Outcome{OK: true}
		}))
	}
}

// A caller's own deadline ends a run all the same.
func TestTheCallersDeadlineEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := new(Engine).Run(ctx, standard(), "", tryFunc(func(ctx context.Context) Outcome {
			<-ctx.Done()
			return Outcome{}
		}))
		if got.Stop != StopCanceled || got.Duration != time.Second {
			t.Errorf("stop %s after %v, want %s after 1s", got.Stop, got.Duration, StopCanceled)
		}
	})
}

// tryFunc is a Task of one function.
type tryFunc func(ctx context.Context) Outcome

func (f tryFunc) Try(ctx context.Context, _ Try) Outcome { return f(ctx) }
func (tryFunc) Decided(Try, Decision)                    {}
func (tryFunc) Waited(time.Duration)                     {}
