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
}

// worker is a goroutine that makes runs, one after the other: a grown stack and a context serve many.
type worker struct {
	turns  chan turn // has room for one; closed when there will be none
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// mostIdle is how many workers are kept that have nothing to do: as many as a slot of a busy process
// starts runs, and no more than is nothing in memory.
const mostIdle = 64

// startWaiting gives the free slots to the runs that wait. s.mu is held.
func (s *Scheduler) startWaiting() {
	for s.free > 0 {
		t, ok := s.nextTurn()
		if !ok {
			return
		}
		s.free--
		s.hire().take(t)
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
	e.running, e.begun = e.probe, true
	return turn{entry: e, probe: e.probe, due: e.waitsFor}, true
}

// hire is a worker without a run: the one that had one last, or a new one. s.mu is held.
func (s *Scheduler) hire() *worker {
	if last := len(s.idle) - 1; last >= 0 {
		w := s.idle[last]
		s.idle[last] = nil
		s.idle = s.idle[:last]
		return w
	}
	w := &worker{turns: make(chan turn, 1)}
	w.ctx, w.cancel = context.WithCancelCause(s.ctx)
	s.workers.Add(1)
	go s.work(w)
	return w
}

// take gives an idle worker a turn. s.mu is held.
func (w *worker) take(t turn) {
	t.entry.worker = w
	w.turns <- t
}

// work makes the worker's runs, each in the slot of the one before while there is one that waits. What panics in a run
// is the run's, see Probe.Run. A panic of the scheduler's, of the engine's or of a sink's ends the process: all probes
// share them and their locks, and a process that starts anew serves them better than one that may hang or miscount.
func (s *Scheduler) work(w *worker) {
	defer s.workers.Done()
	defer func() { w.cancel(nil) }()
	for t := range w.turns {
		for ok := true; ok; t, ok = s.endTurn(w, t) {
			s.meter.Lag(max(0, s.clock.now().sub(t.due)))
			t.probe.Run(w.ctx, s.engine, &t.entry.gate)
		}
	}
}

// endTurn ends a turn whose run has ended, and hands its slot on: to the run that waits first, which is
// the worker's next, or back.
func (s *Scheduler) endTurn(w *worker, t turn) (turn, bool) {
	s.mu.Lock()
	e := t.entry
	e.running, e.worker = nil, nil
	replaced := e.probe != t.probe
	if w.ctx.Err() != nil && s.ctx != nil {
		w.ctx, w.cancel = context.WithCancelCause(s.ctx) // its run was canceled, not the worker
	}
	next, ok := s.nextTurn()
	if ok {
		next.entry.worker = w
	} else {
		s.free++
		s.retire(w)
	}
	s.mu.Unlock()
	if replaced {
		t.probe.Close()
	}
	return next, ok
}

// retire makes a worker idle, or ends it when there are enough. s.mu is held.
func (s *Scheduler) retire(w *worker) {
	if s.ctx == nil || len(s.idle) >= mostIdle {
		close(w.turns)
		return
	}
	s.idle = append(s.idle, w)
}

// dismiss lets no other run start, and ends the workers, each when its run has ended.
func (s *Scheduler) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx = nil
	for _, w := range s.idle {
		close(w.turns)
	}
	s.idle = nil
}
