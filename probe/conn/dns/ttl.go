package dns

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// timedResolver is Go's own resolver, which does not tell for how long an answer holds; so the messages that it
// exchanges with name servers are read as they pass. What /etc/hosts says has no TTL, and holds not at all.
func (o *Options) timedResolver() timedLookup {
	lookup := o.resolver(func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := o.Dial(ctx, network, address)
		if t, ok := ctx.Value(ttlsKey{}).(*ttls); ok && err == nil {
			c = t.observe(c, o.reportOf(ctx))
		}
		return c, err
	})
	return func(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
		t := &ttls{questions: map[dnsmessage.Question]time.Duration{}}
		ips, err := lookup(context.WithValue(ctx, ttlsKey{}, t), host)
		return ips, t.least(), err
	}
}

// ttlsKey is the key under which a lookup's context bears what gathers how long its answers hold.
type ttlsKey struct{}

// Of a question: not answered, or by a failure; answered by what does not say for how long it holds.
const (
	unanswered = -1
	unstated   = maxTTL
)

// maxQuestions bounds how many questions of one lookup are kept in mind: a search list has some.
const maxQuestions = 64

// ttls gathers, for each question of a lookup, how long its answer holds.
type ttls struct {
	mu        sync.Mutex
	questions map[dnsmessage.Question]time.Duration
	positive  bool // some answer had an address
	lost      bool // there were too many questions
}

// least is how long all that was answered holds; 0 where something was not, so that a server that failed for one
// family of addresses is asked again.
func (t *ttls) least() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.positive || t.lost {
		return 0
	}
	least := unstated
	for _, ttl := range t.questions {
		least = min(least, ttl)
	}
	return max(0, least)
}

// asked notes a question.
func (t *ttls) asked(q dnsmessage.Question) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch _, known := t.questions[q]; {
	case known:
	case len(t.questions) >= maxQuestions:
		t.lost = true
	default:
		t.questions[q] = unanswered
	}
}

// answered notes an answer to a question.
func (t *ttls) answered(q dnsmessage.Question, ttl time.Duration, positive bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.questions[q] = ttl
	t.positive = t.positive || positive
}
