package retry

import (
	"sync"
	"time"
)

// Budget bounds the retries to one host, so that a sick host is not trampled: a token bucket that
// starts at Burst, gains Ratio with each run begun and FloorPerSecond with time, and gives one token
// for each retry. The zero value is no bound.
type Budget struct {
	Ratio          float64
	FloorPerSecond float64
	Burst          float64
}

// bucket holds one host's tokens.
type bucket struct {
	mu     sync.Mutex
	rule   Budget // the last run's: all probes of a host declare the same
	tokens float64
	filled time.Time
	runs   int // that have begun and not ended
}

// fill gains what the time since the last fill has brought. b.mu is held.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.filled).Seconds(); passed > 0 {
		b.gain(passed * b.rule.FloorPerSecond)
		b.filled = now
	}
}

func (b *bucket) gain(tokens float64) { b.tokens = min(b.rule.Burst, b.tokens+tokens) }

// begin gains what a run brings that has begun.
func (b *bucket) begin(rule Budget, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now)
	b.rule = rule
	b.gain(rule.Ratio)
	b.runs++
}

// end tells that a run has ended.
func (b *bucket) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs--
}

// take takes one token, and says whether there was one.
func (b *bucket) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// giveBack returns a token whose retry never began.
func (b *bucket) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gain(1)
}

// forgettable is true of a bucket that no run uses and that a new one would be no different from, or
// that has not been used for so long that nobody is being protected by it.
func (b *bucket) forgettable(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs > 0 {
		return false
	}
	unused := now.Sub(b.filled)
	return unused > bucketMaxAge || b.tokens+unused.Seconds()*b.rule.FloorPerSecond >= b.rule.Burst
}

const (
	bucketMaxAge = 24 * time.Hour
	// sweepFrom is how many buckets there are at least before it is worth looking for superfluous ones.
	sweepFrom = 64
)

// budgets holds the buckets of the hosts. The zero value is ready.
type budgets struct {
	mu      sync.Mutex
	byHost  map[string]*bucket
	sweepAt int
}

// begin is the host's bucket, told that a run has begun; nil when the rule is no bound. The run must
// end it.
func (b *budgets) begin(host string, rule Budget, now time.Time) *bucket {
	if rule == (Budget{}) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	bu := b.byHost[host]
	if bu == nil {
		b.sweep(now)
		bu = &bucket{rule: rule, tokens: rule.Burst, filled: now}
		b.byHost[host] = bu
	}
	bu.begin(rule, now)
	return bu
}

// sweep drops the buckets of hosts that are gone or well, each time their number has doubled, so that
// hosts which come and go cost no memory for ever and next to no time. b.mu is held.
func (b *budgets) sweep(now time.Time) {
	if b.byHost == nil {
		b.byHost, b.sweepAt = map[string]*bucket{}, sweepFrom
	}
	if len(b.byHost) < b.sweepAt {
		return
	}
	for host, bu := range b.byHost {
		if bu.forgettable(now) {
			delete(b.byHost, host)
		}
	}
	b.sweepAt = max(sweepFrom, 2*len(b.byHost))
}
