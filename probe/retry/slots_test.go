package retry

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// crowded are slots for which a run that comes back waits so long.
type crowded time.Duration

func (crowded) Leave() {}

func (c crowded) Return(ctx context.Context) {
	select {
	case <-time.After(time.Duration(c)):
	case <-ctx.Done():
	}
}

// hanging makes tries of ten seconds that fail, and keeps their spans and how long was waited.
type hanging struct {
	spans  []Span
	waited time.Duration
}

func (h *hanging) Try(ctx context.Context, _ Try) Outcome {
	s, _ := SpanOf(ctx)
	h.spans = append(h.spans, s)
	select {
	case <-time.After(10 * time.Second):
	case <-ctx.Done():
	}
	return Outcome{Transient: true, Evidence: NeverSent}
}

func (h *hanging) Decided(Try, Decision)  {}
func (h *hanging) Waited(d time.Duration) { h.waited += d }

// TestSlots holds what becomes of a run that has to wait for a slot before its second try.
func TestSlots(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		queue, deadline time.Duration
		batch, cancel   time.Duration // after the start; 0 is never
		stop            Stop
		took            time.Duration
		tries           int
	}{
		{name: "the deadline is put off", queue: time.Minute, deadline: 25 * time.Second, stop: StopAttempts, took: 21 * time.Second, tries: 2},
		{name: "and comes by as much later", queue: time.Minute, deadline: 15 * time.Second, stop: StopDeadline, took: 15 * time.Second, tries: 2},
		{name: "no deadline", queue: time.Minute, stop: StopAttempts, took: 21 * time.Second, tries: 2},
		{name: "the batch's end is not", queue: time.Minute, deadline: 25 * time.Second, batch: 30 * time.Second, stop: StopBatchDeadline, took: 11 * time.Second, tries: 1},
		{name: "the batch's end in the second try", queue: time.Minute, deadline: 25 * time.Second, batch: 75 * time.Second, stop: StopBatchDeadline, took: 15 * time.Second, tries: 2},
		{name: "canceled", queue: time.Minute, deadline: 25 * time.Second, cancel: 20 * time.Second, stop: StopCanceled, took: 11 * time.Second, tries: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				e := &Engine{Slots: crowded(test.queue)}
				if test.batch > 0 {
					e.End = time.Now().Add(test.batch)
				}
				h := &hanging{}
				s := e.Run(ctx, &Policy{Attempts: 2, Deadline: test.deadline, Backoff: Backoff{Base: time.Second, Cap: time.Second}}, "", h)
				if s.Stop != test.stop || s.Duration != test.took || len(h.spans) != test.tries {
					t.Errorf("the run ended with %s after %v and %d tries, want %s, %v, %d", s.Stop, s.Duration, len(h.spans), test.stop, test.took, test.tries)
				}
				h.holdsSpan(t, s.Started, test.queue, test.deadline)
			})
		})
	}
}

// holdsSpan holds that a second try is due when it has its slot, and has as much of the run as it would have had.
func (h *hanging) holdsSpan(t *testing.T, started time.Time, queue, deadline time.Duration) {
	t.Helper()
	if len(h.spans) < 2 || deadline == 0 {
		return
	}
	s := h.spans[1]
	if due := s.Due.Sub(started); due != queue+11*time.Second || h.waited != time.Second {
		t.Errorf("the second try is due at %v after a wait of %v, want %v and %v", due, h.waited, queue+11*time.Second, time.Second)
	}
	if s.Cause == ErrDeadline && s.End.Sub(s.Began) != deadline {
		t.Errorf("the run has %v, want its %v", s.End.Sub(s.Began), deadline)
	}
}
