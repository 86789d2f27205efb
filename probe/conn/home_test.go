package conn

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
)

// TestPressure looks at a machine on which somebody waits for a processor in a part of the time.
func TestPressure(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name        string
		before, now float64 // the part, until a second ago and since
		told, high  bool
	}{
		{"well", 0, 0, true, false},
		{"short", 1, 1, true, true},
		{"short since a second", 0, 1, true, true},
		{"well since a second", 1, 0, true, false},
		{"with much to do", 0.7, 0.7, true, false},
		{"not told", 1, 1, false, false},
	} {
		at := start
		p := pressure{wait: func() (time.Duration, bool) {
			since := at.Sub(start)
			before := min(since, 9*time.Second)
			return time.Duration(row.before*float64(before) + row.now*float64(since-before)), row.told
		}}
		if p.high(at) {
			t.Errorf("%s: high before the first look", row.name)
		}
		for ; at.Sub(start) < 10*time.Second; at = at.Add(10 * time.Millisecond) {
			p.note(at, false)
		}
		if got := p.high(at); got != row.high {
			t.Errorf("%s: high is %v", row.name, got)
		}
	}
}

// TestPressureAfterAPause: what others waited for while no attempt was in progress is nothing to the next attempt, but
// that nobody got round to look is.
func TestPressureAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var waited time.Duration
		n := New(Options{})
		defer n.Close()
		n.pressure.wait = func() (time.Duration, bool) { return waited, true }
		ended := errors.New("ended")
		for _, row := range []struct {
			pause, waited time.Duration // before the attempt
			short         bool          // in it
		}{
			{0, 0, false},
			{time.Minute, time.Minute, false},
			{100 * time.Millisecond, 0, false},
			{time.Minute, time.Second, true},
		} {
			time.Sleep(row.pause)
			waited += row.waited
			c := n.Start(t.Context(), probe.Limits{})
			time.Sleep(300 * time.Millisecond)
			if row.short {
				waited += 300 * time.Millisecond
			}
			if got := n.pressure.high(time.Now()); got != row.short {
				t.Errorf("after a pause of %v: high is %v", row.pause, got)
			}
			c.End(ended)
		}
	})
}

// TestPressureOfAStall: nobody has looked for long, for nobody was let run.
func TestPressureOfAStall(t *testing.T) {
	t.Parallel()
	var waited time.Duration
	p := pressure{wait: func() (time.Duration, bool) { return waited, true }}
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	p.note(at, true)
	at, waited = at.Add(time.Second), 0
	p.note(at, false)
	at, waited = at.Add(5*time.Second), 5*time.Second
	p.note(at, false)
	if !p.high(at.Add(time.Millisecond)) {
		t.Error("a machine that has just let nobody run for 5s is not short of processors")
	}
}
