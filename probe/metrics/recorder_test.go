package metrics

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"sonde/probe"
	"sonde/probe/retry"
)

// nonZero is what is exposed of the probe but for buckets, what is 0, and what never changes.
func nonZero(t *testing.T, r *Recorder) string {
	t.Helper()
	var text strings.Builder
	for line := range strings.Lines(exposed(t, r)) {
		quiet := strings.HasSuffix(line, " 0\n") || strings.Contains(line, "_bucket{") ||
			strings.HasPrefix(line, "sonde_build_info") || strings.HasPrefix(line, "sonde_probe_info")
		if !quiet {
			text.WriteString(line)
		}
	}
	return text.String()
}

// scenario is some runs of one probe; testdata/scenarios.txtar has what is exposed after them.
type scenario struct {
	name    string
	probe   *probe.Probe
	runs    int
	expired bool          // the batch is over before the first run
	cancel  time.Duration // when the runs are canceled; 0 is never
}

// outcome is what is exposed after the scenario.
func (s *scenario) outcome(t *testing.T) (text string) {
	t.Helper()
	inBubble(t, func(t *testing.T, r *Recorder) {
		s.play(r)
		text = nonZero(t, r)
	})
	return text
}

func (s *scenario) play(r *Recorder) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if s.cancel > 0 {
		defer time.AfterFunc(s.cancel, cancel).Stop()
	}
	engine := &retry.Engine{Chance: func() float64 { return 0 }}
	if s.expired {
		engine.End = time.Now()
	}
	r.Declare(s.probe)
	for range max(1, s.runs) {
		s.probe.Run(ctx, engine, r)
	}
}

func TestScenarios(t *testing.T) {
	const path = "testdata/scenarios.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, []txtar.File{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			text := s.outcome(t)
			got = append(got, txtar.File{Name: s.name, Data: []byte(text)})
			if diff := cmp.Diff(want[s.name], text); diff != "" && !*update {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if *update {
		archive.Files = got
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// with changes a probe's policy.
func with(p *probe.Probe, change func(*retry.Policy)) *probe.Probe {
	change(&p.Policy)
	return p
}

// change is an attempt with something else about it.
func change(a probe.Attempt, f func(*probe.Attempt)) probe.Attempt {
	f(&a)
	return a
}

func unsafelySent(reason probe.Reason, took time.Duration) probe.Attempt {
	return change(failed(reason, took), func(a *probe.Attempt) { a.Evidence, a.Repeatable = probe.Unanswered, false })
}

func stale(took time.Duration) probe.Attempt {
	return change(failed(probe.ReasonStaleConnection, took), func(a *probe.Attempt) { a.Stale = true })
}

func asksToWait(d time.Duration) probe.Attempt {
	return change(failed(probe.ReasonLimitTotal, time.Second), func(a *probe.Attempt) { a.Asked, a.HasAsked = d, true })
}

// panics is a prober that always panics.
type panics struct{}

func (panics) Probe(context.Context, probe.Try) probe.Attempt { panic("a bug") }

func panicking() *probe.Probe {
	p := plays()
	p.Prober = panics{}
	return p
}

// TestLogDropped: lines of log that were lost are counted from the start.
func TestLogDropped(t *testing.T) {
	r := New(Build{})
	if got, want := exposed(t, r, "sonde_log_lines_dropped_total"), "sonde_log_lines_dropped_total 0\n"; got != want {
		t.Errorf("at the start: got %q, want %q", got, want)
	}
	r.LogDropped(func() uint64 { return 7 })
	if got, want := exposed(t, r, "sonde_log_lines_dropped_total"), "sonde_log_lines_dropped_total 7\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWebReloaded: the series is there exactly when there is such a file.
func TestWebReloaded(t *testing.T) {
	r := New(Build{})
	const name = "sonde_web_config_last_reload_successful"
	if got := exposed(t, r, name); got != "" {
		t.Errorf("without a file: got %q, want nothing", got)
	}
	for ok, want := range map[bool]string{true: name + " 1\n", false: name + " 0\n"} {
		r.WebReloaded(ok)
		if got := exposed(t, r, name); got != want {
			t.Errorf("after %v: got %q, want %q", ok, got, want)
		}
	}
}
