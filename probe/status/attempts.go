package status

import (
	"fmt"
	"time"

	"sonde/probe"
)

// mostTries is how many attempts of a run are kept, the last ones: there may be a hundred thousand failures.
const mostTries = 4

// try is one attempt of the last run that did not simply pass.
type try struct {
	number int
	took   time.Duration
	phase  probe.Phase
	reason probe.Reason // empty when it passed
	text   string       // cleaned and cut
}

// triesOf are the last attempts of a run. Attempts that failed alike share their text.
func triesOf(r *probe.Result) []try {
	last := r.Attempts[max(0, len(r.Attempts)-mostTries):]
	tries := make([]try, len(last))
	for i := range last {
		a := &last[i]
		tries[i] = try{a.Number, a.Duration, a.Phase, a.Reason, clean(a.Err)}
		if i > 0 && tries[i].text == tries[i-1].text {
			tries[i].text = tries[i-1].text
		}
	}
	return tries
}

// String is an attempt in a line, as in `attempt 2, 1.5s: limit_sock_read in phase wait: no byte for 1s while …`.
func (t try) String() string {
	if t.reason == "" {
		return fmt.Sprintf("attempt %d, %s: passed", t.number, roughly(t.took))
	}
	return fmt.Sprintf("attempt %d, %s: %s in phase %s: %s", t.number, roughly(t.took), t.reason, t.phase, t.reason.Beside(t.text))
}
