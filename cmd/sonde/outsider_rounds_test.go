package main

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A server of the outsider's may be late on a busy machine, of which sonde cannot know, and sonde itself may be
// late, which it says. So what time has had a hand in is tried again where it is not as it should be, with limits
// that are longer; the last round is judged as it is.
const (
	outsiderStretch = 8                                 // from round to round
	outsiderMost    = outsiderStretch * outsiderStretch // in the last round
)

// trial is an outsider, and what came of it.
type trial struct {
	outsider
	got  promisedResult
	seen *counter
}

// inRounds judges each of n cases. try runs some of them, anew, with limits that are so many times as long, and
// returns what came of them, in their order.
func inRounds(t *testing.T, n int, try func(t *testing.T, which []int, stretch int) []trial) {
	t.Helper()
	which := make([]int, n)
	for i := range which {
		which[i] = i
	}
	for stretch := 1; len(which) > 0; stretch *= outsiderStretch {
		var again []int
		for i, x := range try(t, which, stretch) {
			if stretch < outsiderMost && x.unfinished() {
				again = append(again, which[i])
				t.Logf("%s is tried once more: %s %s", x.name, x.got.Reason, x.got.Error)
				continue
			}
			t.Run(x.name, x.judge)
		}
		which = again
	}
}

// unfinished is true of what is not as it should be, where that may be because somebody was late.
func (x *trial) unfinished() bool { return x.amiss() != "" && (x.timed() || x.late() > 0) }

// amiss is how the result differs from what is wanted.
func (x *trial) amiss() string {
	diff := cmp.Diff(x.want, x.got.wanted())
	if n := x.seen.count(); x.requests > 0 && n != x.requests {
		diff += "the server has seen " + strconv.Itoa(n) + " connections or requests, want " + strconv.Itoa(x.requests) + "\n"
	}
	return diff
}

// timed is true where a limit, or the resolver's own, has ended an attempt.
func (x *trial) timed() bool {
	for _, a := range x.got.Attempts {
		if a.Limit != "" || a.Reason == "dns_timeout" || a.Reason == "deadline" {
			return true
		}
	}
	return false
}

// late is by how much sonde says that it was late.
func (x *trial) late() (most float64) {
	for _, a := range x.got.Attempts {
		most = max(most, a.Late)
	}
	return most
}

// judge compares the result with what is wanted. A machine so busy that sonde itself says, in the last round too,
// that it was late proves nothing.
func (x *trial) judge(t *testing.T) {
	amiss := x.amiss()
	if late := x.late(); amiss != "" && late > 0 {
		t.Skipf("sonde says that it was late by %v s", late)
	}
	if amiss != "" {
		t.Errorf("(-want +got):\n%s%s", amiss, x.got.Error)
	}
	x.got.checkPhases(t)
}

var (
	timeouts  = regexp.MustCompile(`timeout: {[^}]*}`)
	durations = regexp.MustCompile(`\d+(ms|s)\b`)
)

// stretched is a file whose limits are so many times as long.
func stretched(file string, by int) string {
	return timeouts.ReplaceAllStringFunc(file, func(limits string) string {
		return durations.ReplaceAllStringFunc(limits, func(d string) string {
			n := len(regexp.MustCompile(`^\d+`).FindString(d))
			v, _ := strconv.Atoi(d[:n])
			return strconv.Itoa(v*by) + d[n:]
		})
	})
}
