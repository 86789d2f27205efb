// Package memnet is a network in memory, for tests alone: its connections have a buffer, as a kernel's
// have, deadlines that run on the time of a synctest bubble, and a switch that ends them as a reset does.
package memnet

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
)

// Net is a network. The zero value is ready: nobody listens, so that every dial is refused.
type Net struct {
	mu        sync.Mutex
	listeners map[string]*Listener
	// Hosts are what Lookup answers, by name.
	Hosts map[string][]net.IP
	// Delay, when set, is called by each dial before it connects; it may sleep, and its error is the dial's.
	Delay func(ctx context.Context, address string) error
}

// Listen listens on an address, host:port with a literal IP.
func (n *Net) Listen(address string) *Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners == nil {
		n.listeners = map[string]*Listener{}
	}
	l := &Listener{net: n, address: addr(address), conns: make(chan net.Conn, 1024), done: make(chan struct{})}
	n.listeners[address] = l
	return l
}

// Dial connects to a listener. Without one it is refused, with the error that the kernel gives.
func (n *Net) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if n.Delay != nil {
		if err := n.Delay(ctx, address); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Addr: addr(address), Err: err}
		}
	}
	n.mu.Lock()
	l := n.listeners[address]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: network, Addr: addr(address), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	if l == nil {
		return nil, refused
	}
	client, server := Pipe("10.0.0.1:1", address)
	select {
	case <-l.done:
		return nil, refused
	case l.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: addr(address), Err: ctx.Err()}
	}
}

// Lookup answers from Hosts, and that a name does not exist.
func (n *Net) Lookup(_ context.Context, host string) ([]net.IP, error) {
	if ips := n.Hosts[host]; len(ips) > 0 {
		return ips, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// Listener is a net.Listener of a Net.
type Listener struct {
	net     *Net
	address addr
	conns   chan net.Conn
	once    sync.Once
	done    chan struct{}
}

// Accept waits for a connection. What it returns is a *Conn.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends listening; connections that nobody has accepted are reset.
func (l *Listener) Close() error {
	l.once.Do(func() {
		l.net.mu.Lock()
		if l.net.listeners[string(l.address)] == l {
			delete(l.net.listeners, string(l.address))
		}
		l.net.mu.Unlock()
		close(l.done)
		for {
			select {
			case c := <-l.conns:
				c.(*Conn).Abort()
				continue
			default:
			}
			break
		}
	})
	return nil
}

// Addr is the address listened on.
func (l *Listener) Addr() net.Addr { return l.address }

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }
