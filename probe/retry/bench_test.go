package retry

import (
	"context"
	"testing"
	"time"
)

// BenchmarkRunThatPasses is what the engine adds to an attempt that passes at once, with a deadline and
// a budget.
func BenchmarkRunThatPasses(b *testing.B) {
	e, p := new(Engine), standard()
	p.Deadline, p.Budget = time.Minute, rule
	task := tryFunc(func(context.Context) Outcome { return Outcome{OK: true} })
	b.ReportAllocs()
	for b.Loop() {
		if s := e.Run(context.Background(), p, "host", task); s.Stop != StopSuccess {
			b.Fatal(s.Stop)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	s := situation{policy: standard(), outcome: answers.outcome, charged: 3, left: forever, chance: 0.5}
	b.ReportAllocs()
	for b.Loop() {
		decide(s)
	}
}
