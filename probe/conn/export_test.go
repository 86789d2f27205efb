package conn

import (
	"context"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
	"weak"
)

// NoDescriptors is a name server that cannot be asked for want of descriptors.
const NoDescriptors = "none"

// LookupAt is the resolver of a network, with a name server of the test's.
func LookupAt(server string) func(ctx context.Context, host string) ([]net.IP, error) {
	return resolver(func(ctx context.Context, _, _ string) (net.Conn, error) {
		if server == NoDescriptors {
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
		}
		return new(net.Dialer).DialContext(ctx, "udp", server)
	}, nil)
}

// LookupBy is the resolver of a network that connects to name servers by dial.
func LookupBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, host string) ([]net.IP, error) {
	return resolver(dial, nil)
}

// LookupTTLAt is the resolver that tells how long answers hold, with a name server of the test's.
func LookupTTLAt(server string) func(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
	return timedResolver(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}, nil)
}

// Reply is reply.
var Reply = reply

// Held is how many connections are open or being made, and how many descriptors they may have.
func (n *Network) Held() (connections, files int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total, n.files
}

// GiveUpStuck gives up each HTTP/2 connection as if its peer had ceased to read.
func (n *Network) GiveUpStuck() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		l.writing.Store(1)
		(&unsticking{link: l, call: &Call{net: n, ended: true}}).look()
	}
}

// Queued is how many hosts are known, and how many calls are queued at them.
func (n *Network) Queued() (hosts, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range n.hosts {
		calls += len(h.queue)
	}
	return len(n.hosts), calls
}

// Alive counts those of the connections open now that anybody holds when it is called.
func (n *Network) Alive() func() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []weak.Pointer[link]
	for l := range n.links {
		all = append(all, weak.Make(l))
	}
	return func() (alive int) {
		runtime.GC()
		runtime.GC() // what a sync.Pool has is kept through one
		for _, l := range all {
			if l.Value() != nil {
				alive++
			}
		}
		return alive
	}
}

// Streams is how many streams are watched on the HTTP/2 connections that there are.
func (n *Network) Streams() (streams int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		l.frames.mu.Lock()
		streams += len(l.frames.streams)
		l.frames.mu.Unlock()
	}
	return streams
}
