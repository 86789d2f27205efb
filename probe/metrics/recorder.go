// Package metrics counts what came of runs, and shows it to Prometheus. The table of All is the one
// list of what is exported. Each probe's numbers live in one compact state; nothing on the way of a run
// looks up a label, and a scrape copies each state without holding up the runs.
package metrics

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sonde/probe"
)

// Recorder counts. It is a probe.Sink and a probe.Meter to those who run probes, and a
// prometheus.Collector to those who look. All its methods are safe for concurrent use.
type Recorder struct {
	process process
	descs   []*prometheus.Desc // as families
	// elsewhere says who runs a probe that is not run here; nil when nobody has told.
	elsewhere atomic.Pointer[func(name string) string]

	joining sync.RWMutex      // guards what follows; never held while anything is counted
	states  map[string]*state // by the probes' names
	sorted  []*state          // by the same; nil when it must be made anew
	changes uint64            // how often it had to be
}

var (
	_ probe.Seated         = (*Recorder)(nil)
	_ probe.Meter          = (*Recorder)(nil)
	_ prometheus.Collector = (*Recorder)(nil)
)

// New makes a recorder of no probe.
func New(b Build) *Recorder {
	r := &Recorder{process: process{build: b}, states: map[string]*state{}}
	for _, f := range families {
		r.descs = append(r.descs, prometheus.NewDesc(f.Name, f.Help, nil, nil))
	}
	return r
}

// Declare makes the series of a probe exist. A probe that replaces one of the same name goes on with
// its numbers, under its own labels.
func (r *Recorder) Declare(p *probe.Probe) {
	r.joining.Lock()
	defer r.joining.Unlock()
	if s := r.states[p.Name]; s != nil {
		s.become(p)
		return
	}
	s := &state{}
	s.become(p)
	r.states[p.Name] = s
	r.reorder()
}

// reorder forgets the order of the states; the caller holds joining.
func (r *Recorder) reorder() {
	r.sorted = nil
	r.changes++
}

// AttemptDone counts an attempt. Of a probe that is not declared nothing is counted.
func (r *Recorder) AttemptDone(p *probe.Probe, a *probe.Attempt) {
	if s := r.state(p.Name); s != nil {
		s.AttemptDone(p, a)
	}
}

// RunDone counts a run. Of a probe that is not declared nothing is counted.
func (r *Recorder) RunDone(result *probe.Result) {
	if s := r.state(result.Probe.Name); s != nil {
		s.RunDone(result)
	}
}

// Seat is where the runs of a declared probe are counted.
func (r *Recorder) Seat(p *probe.Probe) probe.Seat {
	if s := r.state(p.Name); s != nil {
		return s
	}
	return r
}

// Forget takes away the series of a probe.
func (r *Recorder) Forget(p *probe.Probe) {
	r.joining.Lock()
	defer r.joining.Unlock()
	delete(r.states, p.Name)
	r.reorder()
}

// Lag observes by how much a run started after it was due.
func (r *Recorder) Lag(d time.Duration) { r.process.observeLag(d) }

// Skipped counts due runs that did not start.
func (r *Recorder) Skipped(p *probe.Probe, cause probe.SkipCause, n int) {
	if s := r.state(p.Name); s != nil {
		s.skip(cause, n)
	}
}

// Reloaded tells whether a load of the file succeeded, the first included, and when. hash is that of
// the loaded configuration, in hex; of a load that failed it is not looked at.
func (r *Recorder) Reloaded(ok bool, at time.Time, hash string) {
	for {
		before := r.process.config.Load()
		if r.process.config.CompareAndSwap(before, before.loaded(ok, at, hash)) {
			return
		}
	}
}

// WebReloaded tells whether a load of the file of TLS and passwords succeeded, the first included.
func (r *Recorder) WebReloaded(ok bool) { r.process.web.Store(&ok) }

// Sharded tells that the probes are divided into count shards, of which this process is the one of an
// index that counts from 0.
func (r *Recorder) Sharded(index, count int) { r.process.shard.Store(&shard{index, count}) }

// Elsewhere tells who runs the probe of a name that another process runs, as in `shard 2/4`; where is
// empty of a name that nobody runs, and is called by many goroutines. What asks for such a probe's series
// is told so. Without it every such probe is one that is not there.
func (r *Recorder) Elsewhere(where func(name string) string) { r.elsewhere.Store(&where) }

// LogDropped tells who counts the lines of log that were dropped; count is called at each scrape. Without it
// the number is 0.
func (r *Recorder) LogDropped(count func() uint64) { r.process.dropped.Store(&count) }

// state is that of the probe of a name, nil when none is declared.
func (r *Recorder) state(name string) *state {
	r.joining.RLock()
	defer r.joining.RUnlock()
	return r.states[name]
}
