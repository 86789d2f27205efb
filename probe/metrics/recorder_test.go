package metrics

import (
	"sonde/probe"
	"testing"
	"time"
)

func TestScenarios(t *testing.T) {
	inBubble(t, func(t *testing.T, r *Recorder) {
		p := plays(failed(probe.ReasonConnectRefused, time.Second), passed(2*time.Second))
		r.Declare(p)
		run(r, p, 1)
		t.Log(exposed(t, r))
	})
}
