package retry

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestSpan asks in each try what it has of the run's time.
func TestSpan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, began := standard(), time.Now()
		p.Deadline = 10 * time.Second
		var spans []Span
		(&Engine{Chance: half}).Run(t.Context(), p, "", tryFunc(func(ctx context.Context) Outcome {
			s, ok := SpanOf(context.WithValue(ctx, t, t))
			if !ok || !s.Began.Equal(began) || s.End.Sub(began) != p.Deadline || s.Cause != ErrDeadline {
				t.Errorf("got %v, %v", s, ok)
			}
			spans = append(spans, s)
			time.Sleep(time.Second)
			return Outcome{OK: len(spans) == 3, Transient: true, Repeatable: true}
		}))
		for i, due := range []time.Duration{0, 1750 * ms, 4 * time.Second} {
			if got := spans[i].Due.Sub(began); got != due {
				t.Errorf("try %d was due after %v, want %v", i+1, got, due)
			}
		}
	})
}

func TestNoEndNoSpan(t *testing.T) {
	t.Parallel()
	new(Engine).Run(t.Context(), standard(), "", tryFunc(func(ctx context.Context) Outcome {
		if s, ok := SpanOf(ctx); ok {
			t.Errorf("a run without end has the span %v", s)
		}
		return Outcome{OK: true}
	}))
}
