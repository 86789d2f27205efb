package main

import (
	"log/slog"
	"sync"
	"time"

	"sonde/probe"
)

// spell is a row of runs of one probe that did not pass.
type spell struct {
	since         time.Time // the end of the first of them
	down, unknown int
	lasted        time.Duration // known once it is over
}

// attrs says how long it lasted and of which runs it was made; nothing of a spell that is nil.
func (s *spell) attrs() []slog.Attr {
	if s == nil {
		return nil
	}
	return []slog.Attr{
		slog.Duration("after", s.lasted.Round(time.Millisecond)), slog.Int("runs_down", s.down), slog.Int("runs_unknown", s.unknown),
	}
}

// spells are those that go on: one at most for each probe of the running set. The zero value has none;
// it is safe for concurrent use.
type spells struct {
	mu  sync.Mutex
	all map[string]*spell // by the probe's name
}

// after takes a run, and returns the spell that it has ended; nil when it has ended none. A canceled run
// neither makes nor ends one.
func (s *spells) after(r *probe.Result) *spell {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, end := r.Probe.Name, r.Started.Add(r.Duration)
	going := s.all[name]
	switch {
	case canceled(r):
		return nil
	case r.Verdict.Passed():
		delete(s.all, name)
		if going != nil {
			going.lasted = end.Sub(going.since)
		}
		return going
	case going == nil:
		going = s.begin(name, end)
	}
	if r.Verdict == probe.Down {
		going.down++
	} else {
		going.unknown++
	}
	return nil
}

func (s *spells) begin(name string, since time.Time) *spell {
	if s.all == nil {
		s.all = map[string]*spell{}
	}
	begun := &spell{since: since}
	s.all[name] = begun
	return begun
}

// forget is for a probe that has left the running set.
func (s *spells) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, name)
}
