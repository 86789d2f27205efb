package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
)

// script is a prober that plays attempts, a second each; after the last it begins again.
type script struct {
	attempts []probe.Attempt
	next     int
}

func (s *script) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	a := s.attempts[s.next%len(s.attempts)]
	s.next++
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return probe.Attempt{Reason: probe.ReasonCanceled, Err: context.Cause(ctx)}
	}
	return a
}

func passes() probe.Attempt { return probe.Attempt{OK: true} }

func fails(reason probe.Reason, text string) probe.Attempt {
	return probe.Attempt{Reason: reason, Transient: reason.Transient(), Repeatable: true, Err: errors.New(text)}
}

func plays(name string, attempts ...probe.Attempt) *probe.Probe {
	return &probe.Probe{
		Name: name, Kind: "http", Target: "https://" + name + "/", Prober: &script{attempts: attempts},
		Policy: retry.Policy{Attempts: 2, Backoff: retry.Backoff{Base: time.Second, Cap: time.Second}},
	}
}

// ran is a board on which each probe was declared and has made n runs.
func ran(n int, probes ...*probe.Probe) *Board {
	b := New("1.2.3")
	for _, p := range probes {
		b.Declare(p)
		for range n {
			p.Run(context.Background(), &retry.Engine{Chance: func() float64 { return 0 }}, b)
		}
	}
	return b
}

// all is a board with a probe of each verdict, and one that has not yet run.
func all() *Board {
	b := ran(1,
		plays("up", passes()),
		plays("flaky", fails(probe.ReasonConnectRefused, "connection refused"), passes()),
		plays("down", fails(probe.ReasonStatus, "status 503, want 2xx"), fails(probe.ReasonLimitTotal, "total limit of 10s passed")),
		plays("unknown", fails(probe.ReasonConfig, "reading ca.pem: no such file")),
		plays("up-too", passes()),
	)
	b.Declare(plays("waits"))
	return b
}

func TestView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := all().view()
		if got, want := v.Sentence(), "1 down, 1 unknown, 1 flaky, 1 not yet run, 2 up"; got != want {
			t.Errorf("the sentence is %q, want %q", got, want)
		}
		var got []string
		for _, l := range v.Rows {
			got = append(got, strings.Join([]string{l.Name, l.Word(), l.Attempts, l.Took, l.History.String(), l.failure()}, " | "))
		}
		want := []string{
			"down | down | 1 of 2 | 1s | last 1: 1 down; newest: down | status: 503, want 2xx (2000-01-01 00:00:05 UTC)",
			"unknown | unknown | 1 of 2 | 1s | last 1: 1 unknown; newest: unknown | config: reading ca.pem: no such file (2000-01-01 00:00:06 UTC)",
			"flaky | flaky | 2 of 2 | 3s | last 1: 1 flaky; newest: flaky | connect_refused: connection refused (2000-01-01 00:00:04 UTC)",
			"waits | not yet run |  |  | not yet run | ",
			"up | up | 1 of 2 | 1s | last 1: 1 up; newest: up | ",
			"up-too | up | 1 of 2 | 1s | last 1: 1 up; newest: up | ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := clockOf(v.Newest()); got != "2000-01-01 00:00:07 UTC" {
			t.Errorf("the newest run ended at %s, want the last one's end", got)
		}
	})
}

// TestFailureStays until another comes: what went wrong last is what one comes to see.
func TestFailureStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plays("p", fails(probe.ReasonAssertion, "no such text"), passes(), passes())
		b := ran(3, p)
		l := b.view().Rows[0]
		if l.Verdict != probe.Up || l.Reason != probe.ReasonAssertion || !strings.HasPrefix(l.History.String(), "last 3: 1 down, 2 up") {
			t.Errorf("after down, up, up the row is %+v", l)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.Run(ctx, &retry.Engine{}, b)
		if l := b.view().Rows[0]; l.Verdict != probe.Unknown || l.Reason != probe.ReasonAssertion {
			t.Errorf("after a canceled run the row is %+v, want unknown and the failure before", l)
		}
	})
}

// TestDeadlineIsShownWithTheRealError holds that a run that was cut says what it had met before.
func TestDeadlineIsShownWithTheRealError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plays("p", fails(probe.ReasonConnectRefused, "connection refused"))
		p.Policy.Deadline = 2500 * time.Millisecond
		l := ran(1, p).view().Rows[0]
		if l.Reason != probe.ReasonDeadline || !strings.Contains(l.Error, "before it: connection refused") || strings.Contains(l.Error, "https://") {
			t.Errorf("the failure is %s, want the deadline and the real error, without the target", l.failure())
		}
	})
}

func TestChangedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := plays("p", passes()), plays("p", passes())
		b := ran(2, before)
		after.Target, after.Group = "https://elsewhere/", "shop"
		b.Declare(after)
		if l := b.view().Rows[0]; l.Target != after.Target || l.Group != "shop" || l.strip() != "●●" {
			t.Errorf("a changed probe shows %+v, want its new target and its old runs", l)
		}
		b.Forget(after)
		after.Run(context.Background(), &retry.Engine{}, b)
		if rows := b.view().Rows; len(rows) != 0 {
			t.Errorf("after Forget there is %+v", rows)
		}
	})
}

func TestHistoryKeepsTwenty(t *testing.T) {
	var h history
	for range 30 {
		h = h.with(probe.Down)
	}
	for range 19 {
		h = h.with(probe.Up)
	}
	if got, want := h.String(), "last 20: 1 down, 19 up; newest: up"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if list := h.list(); list[0] != probe.Down || list[1] != probe.Up {
		t.Errorf("the history is %v, want it oldest first", list)
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "status 503, want 2xx", "status 503, want 2xx"},
		{"lines", "a\nb\r\tc", `a; b\x0d c`},
		{"a terminal's colours", "\x1b[31mred", `\x1b[31mred`},
		{"turned around", "up\u202enwod", `up\u202enwod`},
		{"unseen", "a\u200bb\x00", `a\u200bb\x00`},
		{"no UTF-8", "a\xffb\xfe", "a\uFFFDb\uFFFD"},
		{"other scripts", "Ошибка 障害 ✓", "Ошибка 障害 ✓"},
		{"long", strings.Repeat("ä", maxText+1), strings.Repeat("ä", maxText-1) + "…"},
		{"just as long", strings.Repeat("ä", maxText), strings.Repeat("ä", maxText)},
	}
	for _, tt := range tests {
		if got := cleanText(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 12345 * time.Nanosecond: "12.3µs", 812345 * time.Microsecond: "812ms",
		1234567 * time.Microsecond: "1.23s", 75432 * time.Millisecond: "1m15.4s", 3*time.Hour + 1: "3h0m0s",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%d: got %s, want %s", d, got, want)
		}
	}
}

// TestLookingWhileProbing is for the race detector.
func TestLookingWhileProbing(t *testing.T) {
	b := New("")
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			p := plays(fmt.Sprint("p", i%3))
			for j := range 200 {
				b.Declare(p)
				b.RunDone(&probe.Result{Probe: p, Verdict: verdicts[j%4], Reason: probe.ReasonStatus})
				if n := len(b.view().Rows); n > 3 {
					t.Errorf("%d rows, want at most 3", n)
				}
				if j%50 == 0 {
					b.Forget(p)
				}
			}
		})
	}
	work.Wait()
}
