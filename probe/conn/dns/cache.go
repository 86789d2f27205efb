package dns

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"sonde/probe"
)

// What is kept of names: how many, and for how long at most, whatever their answers say.
const (
	maxKept = 1 << 16
	maxTTL  = 5 * time.Minute
)

// timedLookup is a lookup that tells for how long its answer holds; 0 is not at all.
type timedLookup func(ctx context.Context, host string) ([]net.IP, time.Duration, error)

// errNobodyWaits ends a lookup whose askers have all gone.
var errNobodyWaits = errors.New("nobody waits for the name any more")

// cache keeps the answers of lookups for as long as they hold. Failures are not kept. Who asks for a name that
// is being looked up waits for that answer; a lookup that nobody waits for any more is ended, and harms nobody
// who asks after that.
type cache struct {
	ask timedLookup
	bug func(*probe.PanicError) // is told of a panic for which nobody waits

	mu      sync.Mutex // of what follows; nothing else is locked under it
	answers map[string]answer
	lookups map[string]*lookup
	closed  bool           // no lookup begins any more
	running sync.WaitGroup // the lookups that go on, those included that nobody waits for
}

// answer is what a name stands for until it ends.
type answer struct {
	ips  []net.IP
	ends time.Time
}

// lookup is one that goes on.
type lookup struct {
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when ips and err are there
	ips     []net.IP
	err     error
	waiting int // how many wait for it; under cache.mu
}

// lookup is what a name stands for. It returns early when ctx ends, with its cause.
func (c *cache) lookup(ctx context.Context, host string) ([]net.IP, error) {
	host = strings.ToLower(host)
	ips, l := c.find(host)
	switch {
	case ips != nil:
		return ips, nil
	case l == nil:
		return nil, ErrClosed
	}
	select {
	case <-l.done:
		return l.ips, l.err
	case <-ctx.Done():
		c.leave(host, l)
		return nil, context.Cause(ctx)
	}
}

// find returns an answer that holds, or a lookup for which the caller waits from now on, begun here if need be; neither
// where none may begin any more.
func (c *cache) find(host string) ([]net.IP, *lookup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.answers[host]; ok && time.Now().Before(a.ends) {
		return a.ips, nil
	}
	l := c.lookups[host]
	switch {
	case l == nil && c.closed:
		return nil, nil
	case l == nil:
		l = c.begin(host)
	}
	l.waiting++
	return nil, l
}

// begin starts a lookup. The lock is held.
func (c *cache) begin(host string) *lookup {
	ctx, cancel := context.WithCancelCause(context.Background())
	l := &lookup{cancel: cancel, done: make(chan struct{})}
	c.lookups[host] = l
	c.running.Add(1)
	go c.run(ctx, host, l)
	return l
}

// run looks a name up.
func (c *cache) run(ctx context.Context, host string, l *lookup) {
	defer c.running.Done()
	defer l.cancel(nil)
	ips, ttl, err := c.recovered(ctx, host)
	awaited := c.finish(host, l, ips, ttl, err)
	if p, ok := errors.AsType[*probe.PanicError](err); ok && !awaited {
		c.bug(p)
	}
}

// recovered is ask, whose panic is an error: that of each asker that waits for the name.
func (c *cache) recovered(ctx context.Context, host string) (ips []net.IP, ttl time.Duration, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = probe.Panicked(v)
		}
	}()
	return c.ask(ctx, host)
}

// finish ends a lookup, and is true when somebody waits for it.
func (c *cache) finish(host string, l *lookup, ips []net.IP, ttl time.Duration, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.ips, l.err = ips, err
	if c.lookups[host] == l {
		delete(c.lookups, host)
		c.keep(host, ips, ttl, err)
	}
	close(l.done)
	return l.waiting > 0
}

// keep keeps an answer that holds for a while. The lock is held.
func (c *cache) keep(host string, ips []net.IP, ttl time.Duration, err error) {
	delete(c.answers, host)
	if err != nil || len(ips) == 0 || ttl <= 0 {
		return
	}
	if len(c.answers) >= maxKept {
		c.evict()
	}
	c.answers[host] = answer{ips, time.Now().Add(min(ttl, maxTTL))}
}

// evict makes room for one more: an answer that holds no longer goes or, of a few, any. The lock is held.
func (c *cache) evict() {
	const looks = 16
	now, seen := time.Now(), 0
	for host, a := range c.answers {
		if seen++; seen == looks || !now.Before(a.ends) {
			delete(c.answers, host)
			return
		}
	}
}

// leave is of an asker who no longer waits for a lookup. The last ends it.
func (c *cache) leave(host string, l *lookup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		l.cancel(errNobodyWaits)
		if c.lookups[host] == l {
			delete(c.lookups, host)
		}
	}
}

// close ends every lookup that goes on, lets none begin, and waits for their ends.
func (c *cache) close() {
	c.mu.Lock()
	c.closed = true
	for _, l := range c.lookups {
		l.cancel(ErrClosed)
	}
	c.mu.Unlock()
	c.running.Wait()
}
