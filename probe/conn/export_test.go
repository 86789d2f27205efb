package conn

import (
	"context"
	"net"
	"runtime"
	"weak"

	"sonde/probe/conn/dns"
)

// LookupBy is the resolver of a network that connects to name servers by dial.
func LookupBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, host string) ([]net.IP, error) {
	return dns.New(dns.Options{Dial: dial, Shortage: local}).Lookup
}

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
