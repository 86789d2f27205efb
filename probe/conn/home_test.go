package conn

import (
	"testing"
	"time"
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
			p.note(at)
		}
		if got := p.high(at); got != row.high {
			t.Errorf("%s: high is %v", row.name, got)
		}
	}
}
