package schedule

import (
	"context"

	"sonde/probe"
)

// turn is one run that has a slot.
type turn struct {
	entry *entry
	probe *probe.Probe // the entry's when the run started
	due   instant
	ctx   context.Context
}

// startWaiting gives the free slots to the runs that wait. s.mu is held.
func (s *Scheduler) startWaiting() {
	for s.free > 0 {
		t, ok := s.nextTurn()
		if !ok {
			return
		}
		s.free--
		s.runs.Add(1)
		go s.work(t)
	}
}

// nextTurn takes the first run that waits. s.mu is held.
func (s *Scheduler) nextTurn() (turn, bool) {
	if s.ctx == nil || s.ctx.Err() != nil {
		return turn{}, false
	}
	e := s.waiting.pop()
	if e == nil {
		return turn{}, false
	}
	t := turn{entry: e, probe: e.probe, due: e.waitsFor}
	t.ctx, e.cancel = context.WithCancelCause(s.ctx)
	e.running, e.begun = e.probe, true
	return t, true
}

// work makes the turn's run, then those that have come to wait meanwhile, one after the other in one
// slot: a grown stack serves many runs.
func (s *Scheduler) work(t turn) {
	defer s.runs.Done()
	for ok := true; ok; t, ok = s.endTurn(t) {
		s.meter.Lag(max(0, s.clock.now().sub(t.due)))
		t.probe.Run(t.ctx, s.engine, &t.entry.gate)
	}
}

// endTurn ends a turn whose run has ended, and hands its slot on.
func (s *Scheduler) endTurn(t turn) (turn, bool) {
	s.mu.Lock()
	e := t.entry
	e.cancel(nil)
	e.running, e.cancel = nil, nil
	replaced := e.probe != t.probe
	next, ok := s.nextTurn()
	if !ok {
		s.free++
	}
	s.mu.Unlock()
	if replaced {
		closeProber(t.probe)
	}
	return next, ok
}
