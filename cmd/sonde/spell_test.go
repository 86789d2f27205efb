package main

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
)

// ended is a run of the probe home that ended so many minutes after morning.
func ended(minute int, v probe.Verdict) *probe.Result {
	r := upResult()
	r.Verdict, r.Attempts = v, nil
	r.Started = morning.Add(time.Duration(minute)*time.Minute - r.Duration)
	switch v {
	case probe.Down:
		r.Reason, r.Stop, r.Err = probe.ReasonStatus, retry.StopAttempts, errors.New("status 503")
	case probe.Unknown:
		r.Reason, r.Stop, r.Err = probe.ReasonConfig, retry.StopPermanent, errors.New("no such file")
	}
	return r
}

func canceledRun(minute int) *probe.Result {
	r := ended(minute, probe.Unknown)
	r.Reason, r.Stop = probe.ReasonCanceled, retry.StopCanceled
	return r
}

func TestLogOfARecovery(t *testing.T) {
	t.Parallel()
	const home = " probe=home target=https://api.example.com/home "
	for _, tt := range []struct {
		name string
		runs []*probe.Result
		want string
	}{
		{"never down", []*probe.Result{ended(1, probe.Up), ended(2, probe.Up)}, ""},
		{"down", []*probe.Result{ended(1, probe.Down), ended(2, probe.Down), ended(3, probe.Up)},
			`level=INFO msg="probe is up again"` + home + `verdict=up attempts=0 duration=120ms after=2m0s runs_down=2 runs_unknown=0`},
		{"down and unknown", []*probe.Result{ended(1, probe.Unknown), ended(3, probe.Down), ended(4, probe.Up)},
			`level=INFO msg="probe is up again"` + home + `verdict=up attempts=0 duration=120ms after=3m0s runs_down=1 runs_unknown=1`},
		{"back, but flaky", []*probe.Result{ended(1, probe.Down), ended(2, probe.Flaky)},
			`level=INFO msg="probe is up again, but flaky: it passed after a retry"` + home + `verdict=flaky attempts=0 duration=120ms after=1m0s runs_down=1 runs_unknown=0`},
		{"a canceled run between", []*probe.Result{ended(1, probe.Down), canceledRun(2), ended(3, probe.Up)},
			`level=INFO msg="probe is up again"` + home + `verdict=up attempts=0 duration=120ms after=2m0s runs_down=1 runs_unknown=0`},
		{"only canceled", []*probe.Result{canceledRun(2), ended(3, probe.Up)}, ""},
		{"said once", []*probe.Result{ended(1, probe.Down), ended(2, probe.Up), ended(3, probe.Up)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			last := tt.runs[len(tt.runs)-1]
			lines := logged("info", func(l *slog.Logger) {
				sink := &logSink{log: slog.New(slog.DiscardHandler)}
				tellAll(sink, tt.runs[:len(tt.runs)-1]...)
				sink.log = l
				tellAll(sink, last)
			})
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("log of the last run (-want +got):\n%s", diff)
			}
		})
	}
}

// What has left the running set is nothing to come back from, and nothing of it is kept.
func TestSpellsAreForgotten(t *testing.T) {
	t.Parallel()
	down := ended(1, probe.Down)
	sink := &logSink{log: slog.New(slog.DiscardHandler)}
	tellAll(sink, down)
	if len(sink.spells.all) != 1 {
		t.Fatalf("%d spells are kept of one probe that is down, want 1", len(sink.spells.all))
	}
	sink.Forget(down.Probe)
	if len(sink.spells.all) != 0 {
		t.Errorf("%d spells are kept of no probe", len(sink.spells.all))
	}
	lines := logged("info", func(l *slog.Logger) {
		sink.log = l
		tellAll(sink, ended(2, probe.Up))
	})
	if len(lines) != 0 {
		t.Errorf("a new probe of the name is said to be up again: %q", lines)
	}
}

// once prints what came of each run, so that its log warns of retries, and of a bug of ours, only.
func TestLogBesideResults(t *testing.T) {
	t.Parallel()
	broken := ended(1, probe.Unknown)
	broken.Reason, broken.Err = probe.ReasonInternal, &probe.RunError{Err: &probe.PanicError{Value: "oops", Stack: []byte("goroutine 1")}}
	messages := func(level string) (list []string) {
		for _, line := range logged(level, func(l *slog.Logger) {
			tellAll(&logSink{log: l, calm: true}, downResult(), ended(1, probe.Unknown), broken)
		}) {
			list = append(list, messageOf.FindString(line))
		}
		return list
	}
	const (
		retried = `level=WARN msg="attempt failed, another follows"`
		stack   = `level=WARN msg="run says nothing of the target: the fault is ours"`
	)
	if diff := cmp.Diff([]string{retried, stack}, messages("warn")); diff != "" {
		t.Errorf("at warn (-want +got):\n%s", diff)
	}
	all := []string{retried, `level=INFO msg="probe is down"`, `level=INFO msg="run says nothing of the target: the fault is ours"`, stack}
	if diff := cmp.Diff(all, messages("info")); diff != "" {
		t.Errorf("at info (-want +got):\n%s", diff)
	}
}
