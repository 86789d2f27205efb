package retry

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var rule = Budget{Ratio: 0.1, FloorPerSecond: 1, Burst: 3}

// takes is how many tokens the bucket gives at one instant.
func (b *bucket) takes(now time.Time) int {
	n := 0
	for b.take(now) {
		n++
	}
	return n
}

func TestBucket(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	var all budgets
	b := all.begin("a", rule, now)
	if n := b.takes(now); n != 3 {
		t.Errorf("a new bucket gives %d tokens, want the burst, 3", n)
	}
	if n := b.takes(now.Add(2500 * ms)); n != 2 {
		t.Errorf("2.5 s at 1 a second give %d tokens, want 2", n)
	}
	if n := b.takes(now.Add(3 * time.Second)); n != 1 {
		t.Errorf("what was left of a token and 0.5 s give %d, want 1", n)
	}
	now = now.Add(3 * time.Second)
	for range 11 { // more than 10, as 0.1 is no binary number
		all.begin("a", rule, now)
	}
	if n := b.takes(now); n != 1 {
		t.Errorf("11 runs at 0.1 give %d tokens, want 1", n)
	}
	if n := b.takes(now.Add(time.Hour)); n != 3 {
		t.Errorf("an hour gives %d tokens, want no more than the burst, 3", n)
	}
	b.giveBack()
	if n := b.takes(now.Add(time.Hour)); n != 1 {
		t.Errorf("a token given back gives %d, want 1", n)
	}
	if n := b.takes(now); n != 0 {
		t.Errorf("a time that has passed gives %d tokens, want 0", n)
	}
	if n := all.begin("b", rule, now).takes(now); n != 3 {
		t.Errorf("another host's bucket gives %d tokens, want 3", n)
	}
	if all.begin("a", Budget{}, now) != nil {
		t.Error("no rule makes a bucket")
	}
}

// TestABudgetBoundsRetries sends 50 probes to one host that fails for ever (C58).
func TestABudgetBoundsRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, p := &Engine{Chance: half}, standard()
		p.Budget = rule
		stops, tries := map[Stop]int{}, 0
		var mu sync.Mutex
		var wg sync.WaitGroup
		began := time.Now()
		for range 50 {
			wg.Go(func() {
				task := play(answers)
				s := e.Run(t.Context(), p, "sick", task)
				mu.Lock()
				defer mu.Unlock()
				stops[s.Stop]++
				tries += len(task.tries)
			})
		}
		wg.Wait()
		// The burst, what 50 runs and what the seconds bring; whoever gets no token stops at once.
		most := 50 + 3 + 5 + int(time.Since(began)/time.Second)
		if tries > most || tries < 50+3 {
			t.Errorf("%d attempts in %v, want 53 to %d", tries, time.Since(began), most)
		}
		if stops[StopBudget] == 0 || stops[StopBudget]+stops[StopAttempts] != 50 {
			t.Errorf("the runs ended by %v, want budget and a few attempts", stops)
		}
	})
}

// TestTheBudgetIsAskedLast lets a run stop for another reason, or be canceled in its wait: neither may
// cost a token.
func TestTheBudgetIsAskedLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, p := &Engine{Chance: half}, standard()
		p.Budget = Budget{Burst: 1}
		p.Deadline = 500 * ms
		if got := e.Run(t.Context(), p, "a", play(answers)); got.Stop != StopDeadlineWouldPass {
			t.Fatalf("stop %s, want %s", got.Stop, StopDeadlineWouldPass)
		}
		p.Deadline = 0
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*ms, cancel)
		if got := e.Run(ctx, p, "a", play(answers)); got.Stop != StopCanceled {
			t.Fatalf("stop %s, want %s", got.Stop, StopCanceled)
		}
		if got := e.Run(t.Context(), p, "a", play(wentStale, passes)); got.Stop != StopSuccess {
			t.Errorf("a transparent attempt ends by %s, want it to cost nothing", got.Stop)
		}
		if got := e.Run(t.Context(), p, "a", play(answers, passes)); got.Stop != StopSuccess {
			t.Errorf("stop %s, want the token to be there still", got.Stop)
		}
		if got := e.Run(t.Context(), p, "a", play(answers, passes)); got.Stop != StopBudget || got.Duration != 0 {
			t.Errorf("stop %s after %v, want %s at once", got.Stop, got.Duration, StopBudget)
		}
	})
}

func TestBucketsOfGoneHostsGo(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	var all budgets
	sick := all.begin("sick", rule, now)
	sick.takes(now)
	used := all.begin("used", rule, now)
	for i := range 100_000 {
		now = now.Add(ms)
		all.begin(fmt.Sprintf("host-%d", i), rule, now).end()
		sick.takes(now)
	}
	if n := len(all.byHost); n > 2*sweepFrom {
		t.Errorf("%d buckets are left of 100,000 hosts that are gone, want at most %d", n, 2*sweepFrom)
	}
	if all.byHost["sick"] != sick || all.byHost["used"] != used {
		t.Error("a bucket was forgotten that is not full, or that a run uses")
	}
}

func TestManyRunsShareABucket(t *testing.T) {
	t.Parallel()
	e, p := new(Engine), standard()
	p.Backoff, p.Budget = Backoff{}, Budget{Ratio: 0, Burst: 100}
	var wg sync.WaitGroup
	var mu sync.Mutex
	retries := 0
	for range 200 {
		wg.Go(func() {
			task := play(answers)
			e.Run(t.Context(), p, "shared", task)
			mu.Lock()
			defer mu.Unlock()
			retries += len(task.tries) - 1
		})
	}
	wg.Wait()
	if retries != 100 {
		t.Errorf("%d retries, want exactly the burst of 100", retries)
	}
}
