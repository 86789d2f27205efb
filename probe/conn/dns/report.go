package dns

import (
	"context"
	"fmt"
	"sync/atomic"

	"sonde/probe"
)

// report is what a lookup has met that Go's resolver does not tell: that something of ours was used up, or that what it
// calls of ours has panicked on a goroutine of its own.
type report struct {
	shortage atomic.Pointer[error]
	panicked atomic.Pointer[probe.PanicError] // concluded once the lookup is over
	bug      func(*probe.PanicError)
}

// concluded is the panic of a report that nobody reads any more.
var concluded = new(probe.PanicError)

// reportKey is the key under which a lookup's context bears its report.
type reportKey struct{}

// reportOf is the report of the lookup whose context it is, or one that nobody reads.
func (o *Options) reportOf(ctx context.Context) *report {
	if r, ok := ctx.Value(reportKey{}).(*report); ok {
		return r
	}
	r := &report{bug: o.Bug}
	r.panicked.Store(concluded)
	return r
}

// lacking notes an error that says what of ours is used up. The first is told.
func (r *report) lacking(err error) { r.shortage.CompareAndSwap(nil, &err) }

// conclude is what a lookup has come to that Go's resolver ends with err. It is called once.
func (r *report) conclude(err error) error {
	if p := r.panicked.Swap(concluded); p != nil {
		return p
	}
	if shortage := r.shortage.Load(); err != nil && shortage != nil {
		return fmt.Errorf("%w (%w)", err, *shortage)
	}
	return err
}

// guard is deferred by what Go's resolver calls.
func (r *report) guard() {
	if v := recover(); v != nil {
		r.panics(probe.Panicked(v))
	}
}

// caught is guard where there is an error to return.
func (r *report) caught(err *error) {
	if v := recover(); v != nil {
		p := probe.Panicked(v)
		*err = p
		r.panics(p)
	}
}

// panics notes a panic, the first of the lookup. When that is over, nobody waits for it.
func (r *report) panics(p *probe.PanicError) {
	if !r.panicked.CompareAndSwap(nil, p) && r.panicked.Load() == concluded {
		r.bug(p)
	}
}
