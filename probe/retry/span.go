package retry

import (
	"context"
	"time"
)

// Span is what of its run's time a try has.
type Span struct {
	// Began is when the run began, later by what it has waited for Slots since, and Due when the try was to
	// begin: with the run, or after the planned wait and that for a slot. What has passed since Due when the try
	// begins is nobody's but ours.
	Began, Due time.Time
	// End is when the run ends, and Cause what its context then says: ErrDeadline or ErrBatchDeadline.
	End   time.Time
	Cause error
}

// SpanOf is the span of the try whose context it is, or of one below; false where the run has no end, and
// in virtual time. The context ends soon after Span.End, with Span.Cause: what is ready at that instant
// asks here what came first.
func SpanOf(ctx context.Context) (Span, bool) {
	s, ok := ctx.Value(spanKey{}).(*Span)
	if !ok {
		return Span{}, false
	}
	return *s, true
}

type spanKey struct{}

// spanned is the context of one try.
type spanned struct {
	context.Context
	span Span
}

// Value is the span, or the context's value.
func (s *spanned) Value(key any) any {
	if key == (spanKey{}) {
		return &s.span
	}
	return s.Context.Value(key)
}

// spanned is the context of a try that is due at the given time. That of the first try is a part of the
// run; a later one has its own, for somebody may still ask the first.
func (r *run) spanned(due time.Time) context.Context {
	if r.end.IsZero() || r.engine.Clock != nil {
		return &r.ctx
	}
	s := &r.first
	if s.Context != nil {
		s = new(spanned)
	}
	*s = spanned{&r.ctx, Span{Began: r.started.Add(r.queued), Due: due, End: r.end, Cause: r.endCause}}
	return s
}
