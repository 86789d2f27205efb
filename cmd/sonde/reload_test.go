package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/schema"
)

// reloads is a reloader over files that are not there, and what it did.
type reloads struct {
	*reloader
	loads   chan error // what the next loads come to
	applied chan *schema.Set
	records chan bool
	log     strings.Builder
	hangup  chan os.Signal
	stop    context.CancelFunc
}

func startReloader(t *testing.T) *reloads {
	r := &reloads{
		loads: make(chan error, 10), applied: make(chan *schema.Set, 10), records: make(chan bool, 10), hangup: make(chan os.Signal),
	}
	load := func(ctx context.Context) (*schema.Set, error) {
		select {
		case err := <-r.loads:
			if err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		return &schema.Set{Reach: schema.Reach{Files: []string{"a"}}, Warnings: []schema.Problem{{File: "a", Line: 3, Column: 5, Text: "interval is long", Rule: "limit-none"}}}, nil
	}
	apply := func(s *schema.Set) string {
		r.applied <- s
		return "1 added"
	}
	record := func(err error, at time.Time, hash string) { r.records <- err == nil }
	r.reloader = newReloader(load, apply, record, logFlags{Level: "info", Format: "logfmt"}.newLogger(&r.log))
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	go r.run(ctx, r.hangup)
	t.Cleanup(func() {
		cancel()
		<-r.over
	})
	return r
}

// lines stops the reloader and returns what it logged.
func (r *reloads) lines() []string {
	r.stop()
	<-r.over
	var lines []string
	for line := range strings.Lines(r.log.String()) {
		lines = append(lines, noise.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	return lines
}

func TestReloadOfAGoodFile(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	r.loads <- nil
	if text, err := r.ask(t.Context(), "request"); text != "1 added" || err != nil {
		t.Errorf("the outcome is %q and %v, want what changed", text, err)
	}
	if ok := <-r.records; !ok || len(r.applied) != 1 {
		t.Errorf("recorded as %t, applied %d times; want true and once", ok, len(r.applied))
	}
	want := []string{
		`level=WARN msg="the configuration works but looks wrong" place=a:3:5 problem="interval is long" rule=limit-none`,
		`level=INFO msg="configuration loaded" cause=request files=1 probes=0 change="1 added"`,
	}
	if diff := cmp.Diff(want, r.lines()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestReloadOfABadFileLeavesTheGoodOne(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	bad := schema.Problems{{File: "a", Line: 1, Column: 2, Text: "is wrong", Rule: "kind"}, {File: "a", Line: 9, Column: 1, Text: "is too\x1b", Rule: "kind"}}
	r.loads <- bad
	if _, err := r.ask(t.Context(), "request"); !cmp.Equal(err, error(bad)) {
		t.Errorf("the outcome is %v, want all problems", err)
	}
	if ok := <-r.records; ok || len(r.applied) != 0 {
		t.Errorf("recorded as %t, applied %d times; want false and never", ok, len(r.applied))
	}
	want := []string{
		`level=ERROR msg="reload failed; what ran before runs on" cause=request problems=2`,
		`level=ERROR msg="problem in the configuration" place=a:1:2 problem="is wrong" rule=kind`,
		`level=ERROR msg="problem in the configuration" place=a:9:1 problem="is too\\x1b" rule=kind`,
	}
	if diff := cmp.Diff(want, r.lines()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestReloadAtHangup(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	r.loads <- errors.New("open a: permission denied")
	r.hangup <- syscall.SIGHUP
	<-r.records
	want := []string{`level=ERROR msg="reload failed; what ran before runs on" cause=SIGHUP error="open a: permission denied"`}
	if diff := cmp.Diff(want, r.lines()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Whoever asks gets the outcome of the reload that was made for it, not of one that went before.
func TestEachAskGetsItsOwnOutcome(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	first := make(chan error)
	go func() {
		_, err := r.ask(context.Background(), "first")
		first <- err
	}()
	r.loads <- errors.New("the first's")
	if err := <-first; err == nil || err.Error() != "the first's" {
		t.Errorf("the first gets %v", err)
	}
	r.loads <- nil
	if _, err := r.ask(t.Context(), "second"); err != nil {
		t.Errorf("the second gets %v, want its own success", err)
	}
}

func TestAskingTooLate(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	r.stop()
	<-r.over
	if _, err := r.ask(t.Context(), "request"); err != errStopping {
		t.Errorf("the outcome is %v, want %v", err, errStopping)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	idle := newReloader(nil, nil, nil, slog.New(slog.DiscardHandler))
	if _, err := idle.ask(gone, "request"); err != context.Canceled {
		t.Errorf("the outcome for a caller who has left is %v, want %v", err, context.Canceled)
	}
}
