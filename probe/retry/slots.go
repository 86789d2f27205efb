package retry

import (
	"context"
	"time"
)

// Slots bound how many runs make tries at a time. A run is begun with a slot, and has one again when it ends.
// They are safe for concurrent use.
type Slots interface {
	// Leave gives a slot back.
	Leave()
	// Return comes back with a slot, or at once when ctx has ended: such a run makes no other try.
	Return(ctx context.Context)
}

// rest waits before another try, and lets another run have the slot meanwhile.
func (r *run) rest(d time.Duration) {
	if r.engine.Slots == nil || d <= 0 {
		r.engine.sleep(&r.ctx, d)
		return
	}
	r.engine.Slots.Leave()
	r.engine.sleep(&r.ctx, d)
	r.queue()
}

// queue waits for a slot. That takes nothing of the run's own time, for it says nothing of the target: the deadline
// is put off by as long, and the next try is due when the slot is there. The end of the batch stays where it is.
func (r *run) queue() {
	r.now = r.engine.Now()
	from, end := r.now, r.end
	own := r.endCause == ErrDeadline && r.ctx.Err() == nil
	if own {
		r.alarm.silence()
		r.endAt(r.engine.End, ErrBatchDeadline)
	}
	r.engine.Slots.Return(&r.ctx)
	r.now = r.engine.Now()
	late := r.now.Sub(from)
	r.due, r.queued = r.due.Add(late), r.queued+late
	if own {
		r.alarm.silence()
		r.endAt(r.engine.earlier(end.Add(late)))
	}
}

// endAt has the run end at a time, with a cause; the zero time is never.
func (r *run) endAt(end time.Time, cause error) {
	r.end, r.endCause = end, cause
	if !end.IsZero() {
		r.alarm.after(r.left(), cause, r.engine.Clock)
	}
}
