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

// bucket holds one host's tokens. Its rules are the last run's: all probes of a host declare the same.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	filled time.Time
}

// fill gains what time and n begun runs bring.
func (b *bucket) fill(rule Budget, now time.Time, n float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if passed := now.Sub(b.filled).Seconds(); passed > 0 {
		b.tokens += passed * rule.FloorPerSecond
		b.filled = now
	}
	b.tokens = min(rule.Burst, b.tokens+n*rule.Ratio)
}

// take takes one token, and says whether there was one.
func (b *bucket) take(rule Budget, now time.Time) bool {
	b.fill(rule, now, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// giveBack returns a token whose retry never began.
func (b *bucket) giveBack(rule Budget) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(rule.Burst, b.tokens+1)
}

// budgets holds the buckets of all hosts. The zero value is ready.
type budgets struct {
	mu     sync.Mutex
	byHost map[string]*bucket
}

// begin is the host's bucket, told that a run has begun; nil when the rule is no bound.
func (b *budgets) begin(host string, rule Budget, now time.Time) *bucket {
	if rule == (Budget{}) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byHost == nil {
		b.byHost = map[string]*bucket{}
	}
	bu := b.byHost[host]
	if bu == nil {
		bu = &bucket{tokens: rule.Burst, filled: now}
		b.byHost[host] = bu
	}
	bu.fill(rule, now, 1)
	return bu
}
