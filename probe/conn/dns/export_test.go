package dns

import (
	"context"
	"net"
	"time"
)

// LookupTTL is how the resolver looks a name up whose answer is to be kept, and for how long it may be.
func (r *Resolver) LookupTTL(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
	return r.cache.ask(ctx, host)
}

// ParseReply is parseReply.
var ParseReply = parseReply
