package schedule

import (
	"errors"

	"sonde/probe"
)

// errRemoved is why the run of a removed probe is canceled.
var errRemoved = errors.New("the probe was removed")

// Change is what an Apply did: how many probes joined, took the place of another definition, left, and
// ran on.
type Change struct {
	Added, Changed, Removed, Unchanged int
}

// Apply makes the probes the running set. It may be called before Run and at any time while it runs.
//
//   - A probe whose Digest is that of the running one of its name runs on undisturbed, under the
//     definition that the scheduler has.
//   - A changed one is declared at once. A run that goes ends under the old definition, and its attempts
//     and result still reach the Sink; the next due time is the new definition's.
//   - A new one is declared and runs first at probe.FirstDue.
//   - One that is not among them is forgotten. Its run, if one goes, is canceled, and nothing of it
//     reaches the Sink after Forget.
//
// The probers are the scheduler's from here on, and each serves one probe: one that is a closer is
// closed when its probe has left the set, was replaced or was not needed, and its last run has ended.
// After Run has returned, Apply only closes what it is given.
func (s *Scheduler) Apply(probes []*probe.Probe) Change {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.ended {
		s.refuse(probes)
		return Change{}
	}
	s.generation++
	added, changed, kept := s.compare(probes)
	c := Change{Added: len(added), Changed: len(changed), Unchanged: kept}
	for name, e := range s.set {
		if e.generation != s.generation {
			delete(s.set, name)
			s.remove(e)
			c.Removed++
		}
	}
	for _, p := range changed {
		s.change(s.set[p.Name], p)
	}
	for _, p := range added {
		s.add(p)
	}
	s.sweep()
	s.bell.ring()
	return c
}

// compare sorts the probes into new, changed and unchanged ones, and marks the entries that stay. It
// needs no lock that the loop needs, so however many probes there are, no run is late for it.
func (s *Scheduler) compare(probes []*probe.Probe) (added, changed []*probe.Probe, kept int) {
	for _, p := range probes {
		e := s.set[p.Name]
		if e == nil {
			added = append(added, p)
			continue
		}
		e.generation = s.generation
		switch {
		case e.probe.Digest != p.Digest:
			changed = append(changed, p)
		case e.probe != p:
			p.Close()
			kept++
		default:
			kept++
		}
	}
	return added, changed, kept
}

func (s *Scheduler) add(p *probe.Probe) {
	e := &entry{probe: p, generation: s.generation, gate: gate{Sink: s.sink}}
	s.set[p.Name] = e
	e.gate.Declare(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	e.at = e.firstDue(s.clock.now())
	e.due = e.at
	s.due.set(e)
}

func (s *Scheduler) change(e *entry, p *probe.Probe) {
	e.gate.Declare(p)
	s.mu.Lock()
	old := e.probe
	e.probe = p
	if at := e.firstDue(s.clock.now()); at != e.at {
		e.at, e.due = at, at
		s.due.set(e)
	}
	e.due = e.at
	idle := e.running != old
	s.mu.Unlock()
	if idle {
		old.Close()
	}
}

// remove forgets first and cancels then, so that no sink sees a canceled run that nobody asks about.
func (s *Scheduler) remove(e *entry) {
	s.mu.Lock()
	old := e.probe
	e.probe = nil
	idle := e.running != old
	s.mu.Unlock()
	e.gate.Forget(old)
	s.cancel(e)
	if idle {
		old.Close()
	}
}

// sweep keeps alarms that hold no more from being most of them.
func (s *Scheduler) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.due) > 2*len(s.set) {
		s.due.sweep()
	}
}

// cancel ends the run of an entry, if one goes.
func (s *Scheduler) cancel(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.worker != nil {
		e.worker.cancel(errRemoved)
	}
}

// refuse closes the probers of probes that come after the end.
func (s *Scheduler) refuse(probes []*probe.Probe) {
	for _, p := range probes {
		if e := s.set[p.Name]; e == nil || e.probe != p {
			p.Close()
		}
	}
}
