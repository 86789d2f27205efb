package retry_test

import (
	"context"
	"fmt"
	"time"

	"sonde/probe/retry"
)

// knock is a task that is answered at the third knock.
type knock struct{}

func (knock) Try(_ context.Context, t retry.Try) retry.Outcome {
	fmt.Println("attempt", t.Number)
	return retry.Outcome{OK: t.Number == 3, Transient: true, Evidence: retry.Unanswered, Repeatable: true}
}

func (knock) Decided(_ retry.Try, d retry.Decision) {
	if d.Stop == "" {
		fmt.Printf("again in %v, by %s\n", d.Wait, d.Source)
	}
}

func (knock) Waited(time.Duration) {}

func ExampleEngine() {
	engine := &retry.Engine{Chance: func() float64 { return 0.5 }}
	policy := &retry.Policy{
		Attempts: 4,
		Backoff:  retry.Backoff{Base: 4 * time.Millisecond, Cap: time.Second, Jitter: 2 * time.Millisecond},
		Deadline: time.Minute,
	}
	summary := engine.Run(context.Background(), policy, "door", knock{})
	fmt.Println("stopped:", summary.Stop)
	// Output:
	// attempt 1
	// again in 5ms, by backoff
	// attempt 2
	// again in 9ms, by backoff
	// attempt 3
	// stopped: success
}
