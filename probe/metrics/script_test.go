package metrics

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"sonde/probe"
	"sonde/probe/retry"
)

// script is a prober that plays attempts, one after the other, each lasting as long as its Duration
// says; after the last it begins again.
type script struct {
	attempts []probe.Attempt
	next     int
}

func (s *script) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	a := s.attempts[s.next%len(s.attempts)]
	s.next++
	took := a.Duration
	for _, d := range a.Phases {
		took += d
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
		a = probe.Attempt{Reason: probe.ReasonCanceled, Err: context.Cause(ctx)}
		if errors.Is(context.Cause(ctx), retry.ErrDeadline) || errors.Is(context.Cause(ctx), retry.ErrBatchDeadline) {
			a.Reason = probe.ReasonDeadline
		}
	}
	return a
}

// plays is a probe named p that plays attempts under a policy of four attempts, a second apart.
func plays(attempts ...probe.Attempt) *probe.Probe {
	return &probe.Probe{
		Name: "p", Kind: "tcp", Target: "t:1", Host: "t:1", Interval: time.Minute,
		Prober: &script{attempts: attempts},
		Policy: retry.Policy{Attempts: 4, Transparent: 1, Backoff: retry.Backoff{Base: time.Second, Cap: time.Second}},
	}
}

// passed and failed are attempts that last so long.
func passed(took time.Duration) probe.Attempt {
	return probe.Attempt{OK: true, Duration: took, Evidence: probe.Answered}
}

func failed(reason probe.Reason, took time.Duration) probe.Attempt {
	return probe.Attempt{
		Reason: reason, Transient: reason.Transient(), Duration: took, Evidence: probe.NeverSent, Err: errors.New("no"),
		Repeatable: true,
	}
}

// inBubble runs f in virtual time, with a recorder.
func inBubble(t *testing.T, f func(t *testing.T, r *Recorder)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, New(Build{"1.2.3", "abc", "go1.26"})) })
}

// run makes n runs of a probe that has been declared.
func run(r *Recorder, p *probe.Probe, n int) {
	for range n {
		p.Run(context.Background(), &retry.Engine{Chance: func() float64 { return 0 }}, r)
	}
}

// exposed is the recorder's text form, without comments; with names, only of those families, and
// without the buckets of histograms.
func exposed(t *testing.T, r *Recorder, names ...string) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	for line := range strings.Lines(b.String()) {
		if line[0] != '#' && wanted(line, names) {
			text.WriteString(line)
		}
	}
	return text.String()
}

func wanted(line string, names []string) bool {
	if len(names) == 0 {
		return true
	}
	for _, n := range names {
		if strings.HasPrefix(line, n) && !strings.Contains(line, "_bucket{") {
			return true
		}
	}
	return false
}
