package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sonde/probe"
)

// progress shows on one line of a terminal how far a batch is, and wipes the line at the end.
type progress struct {
	out     io.Writer
	width   int
	started time.Time

	mu     sync.Mutex
	probes []*probe.Probe
	done   tally
	ended  map[*probe.Probe]bool
	failed map[*probe.Probe]string // what came of the last attempt of those that have not ended

	stop chan struct{}
	over sync.WaitGroup
}

// progressEvery is how often the line is written anew.
const progressEvery = 100 * time.Millisecond

func newProgress(out io.Writer, width int, probes []*probe.Probe) *progress {
	p := &progress{
		out: out, width: width, started: time.Now(), probes: probes, done: tally{},
		ended: map[*probe.Probe]bool{}, failed: map[*probe.Probe]string{}, stop: make(chan struct{}),
	}
	p.over.Go(p.show)
	return p
}

// close ends the display and leaves an empty line.
func (p *progress) close() {
	close(p.stop)
	p.over.Wait()
}

func (p *progress) show() {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			io.WriteString(p.out, "\r\x1b[K")
			return
		case <-tick.C:
			fmt.Fprintf(p.out, "\r\x1b[K%s", p.line(time.Since(p.started)))
		}
	}
}

// line is "3 of 5 done, 1 down, 2.1s; waiting for db (1/4 connect_refused), shop", cut to the width of
// the terminal.
func (p *progress) line(elapsed time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%d of %d done, ", len(p.ended), len(p.probes))
	for _, v := range []probe.Verdict{probe.Down, probe.Unknown, probe.Flaky} {
		if p.done[v] > 0 {
			text += fmt.Sprintf("%d %s, ", p.done[v], v)
		}
	}
	text += short(elapsed) + p.waiting()
	return probe.Shorten(text, p.width-1)
}

// waiting is who has not ended, those first who have failed already; as many as a line can hold.
func (p *progress) waiting() string {
	var failed, others []string
	for _, pr := range p.probes {
		switch note := p.failed[pr]; {
		case p.ended[pr]:
		case note != "":
			failed = append(failed, clean(pr.Name)+" "+note)
		case len(others) < p.width:
			others = append(others, clean(pr.Name))
		}
	}
	if len(failed)+len(others) == 0 {
		return ""
	}
	return "; waiting for " + strings.Join(append(failed, others...), ", ")
}

// Declare is of no interest here.
func (p *progress) Declare(*probe.Probe) {}

// Forget is of no interest here.
func (p *progress) Forget(*probe.Probe) {}

// AttemptDone notes who is to try again.
func (p *progress) AttemptDone(pr *probe.Probe, a *probe.Attempt) {
	if a.OK || a.WaitSource == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed[pr] = fmt.Sprintf("(%d/%d %s)", a.Number, pr.Policy.Attempts, a.Reason)
}

// RunDone counts a verdict.
func (p *progress) RunDone(r *probe.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[r.Probe] = true
	p.done[r.Verdict]++
}
