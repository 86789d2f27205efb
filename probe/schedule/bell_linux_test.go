package schedule

import (
	"context"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestABellOfTheKernel rings at its time, and before when it is rung, be that before the sleep or during it.
func TestABellOfTheKernel(t *testing.T) {
	t.Parallel()
	b := newBell(true)
	if _, ok := b.(*kernelBell); !ok {
		t.Fatalf("got a %T, want the kernel's", b)
	}
	begun := time.Now()
	b.sleep(20 * time.Millisecond)
	if took := time.Since(begun); took < 20*time.Millisecond {
		t.Errorf("slept %s, want 20ms at least", took)
	}
	for _, after := range []time.Duration{0, 10 * time.Millisecond} {
		rung := time.AfterFunc(after, b.ring)
		b.sleep(time.Hour)
		rung.Stop()
	}
	b.ring()
	b.sleep(time.Hour)
	b.close()
	b.ring() // as when a set is applied after the end
	b.sleep(time.Millisecond)
}

// TestAPunctualScheduler runs a probe in real time, takes a set while it sleeps, and ends.
func TestAPunctualScheduler(t *testing.T) {
	t.Parallel()
	s := New(Options{Punctual: true})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(ended)
	}()
	ran := make(chan struct{}, 100)
	p := &probe.Probe{Name: "home", Interval: 50 * time.Millisecond, Policy: retry.Policy{Attempts: 1}, Prober: noting(ran)}
	s.Apply([]*probe.Probe{p})
	for range 3 {
		<-ran
	}
	cancel()
	<-ended
	s.Apply(nil)
}

// noting is a prober that notes its attempts.
type noting chan<- struct{}

// Probe passes.
func (n noting) Probe(context.Context, probe.Try) probe.Attempt {
	n <- struct{}{}
	return probe.Attempt{OK: true}
}
