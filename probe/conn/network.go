package conn

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"sonde/probe/conn/dns"
)

// errClosed is what a call gets whose network was closed under it.
var errClosed = errors.New("the network is closed")

// maxHeader bounds a response header, all 1xx responses before it included.
const maxHeader = 1 << 20

// Network is one process's connections. It has no goroutine of its own while it holds none.
//
// Its locks, and those of what it holds, in the order in which they are taken. Who holds one may take those that
// stand after it, and no others, so that nobody waits in a circle:
//
//  1. Network.mu
//  2. the HTTP/2 client's own, with which it writes to a link and is asked for a stream; TLS's, with which it reads
//  3. frames.mu
//  4. Call.mu
//  5. watch.mu, pressure.mu, unsticking.mu, Network.gate and those of other packages: under them none is taken
//
// Some go by another way. Who asks the frames with Call.mu held (End, and leave, of a stale connection) has forgotten
// the call's stream before, so that nobody who holds frames.mu goes on to that call. What cuts a call closes its
// connection under Call.mu: of TLS only where no goodbye is said, which takes no lock of TLS'. And a panic there is told
// to Options.Bug, which must not ask the network.
type Network struct {
	options Options
	names   *dns.Resolver
	http2   *http.Transport

	mu      sync.Mutex
	hosts   map[string]*host
	links   map[*link]struct{} // every open connection
	dialers map[*Call]struct{} // calls that are making one
	total   int                // connections open or being made
	files   int                // the descriptors that they have, or may have
	idle    lru                // idle connections, the longest idle first
	starved []*host            // hosts whose queues wait for what is bounded over all hosts
	closed  bool

	gate sync.Mutex
	shut bool           // under gate: nothing more is held
	open sync.WaitGroup // links, and goroutines of ours

	watch    watch
	pressure pressure
	timers   sync.Pool // of *timer; of one network, for those of a test's bubble are its own
}

// New makes a network.
func New(o Options) *Network {
	n := &Network{
		options:  o,
		hosts:    map[string]*host{},
		links:    map[*link]struct{}{},
		dialers:  map[*Call]struct{}{},
		watch:    watch{epoch: time.Now()},
		pressure: pressure{wait: waitedForCPU},
	}
	if o.Dial == nil {
		o.Dial = dialer()
	}
	n.options.Dial = n.frugally(o.Dial)
	n.watch.note = n.pressure.note
	n.names = dns.New(dns.Options{
		Dial: n.frugally(new(net.Dialer).DialContext), Shortage: local, Lookup: o.Lookup, LookupTTL: o.LookupTTL, Bug: n.stray,
	})
	n.idle.init()
	n.http2 = transport()
	return n
}

// transport is what makes an HTTP/2 client of a connection that is ours: it dials nothing, adds nothing
// to a request, and keeps no connection. TLS is done before it sees the connection.
func transport() *http.Transport {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &http.Transport{
		DialContext:            handOver,
		Protocols:              &p,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		// What a peer can make us hold of bodies that nobody has read yet.
		HTTP2: &http.HTTP2Config{
			MaxReadFrameSize:              64 << 10,
			MaxReceiveBufferPerStream:     1 << 20,
			MaxReceiveBufferPerConnection: 4 << 20,
		},
	}
}

// ready carries an open connection to handOver.
type ready struct{}

// handOver gives the transport the connection that was made for it.
func handOver(ctx context.Context, _, _ string) (net.Conn, error) {
	return ctx.Value(ready{}).(*link), nil
}

// client makes l an HTTP/2 client connection.
func (n *Network) client(l *link) error {
	var err error
	l.cc, err = n.http2.NewClientConn(context.WithValue(context.Background(), ready{}, l), "http", "connection.invalid:80")
	if err == nil {
		l.cc.SetStateHook(func(*http.ClientConn) { l.changed() })
	}
	return err
}

// hold counts something that Close waits for, a connection or a goroutine; it is refused once the
// network is closed. The HTTP/2 client may hold its locks meanwhile, so it must not take Network.mu.
func (n *Network) hold() bool {
	n.gate.Lock()
	defer n.gate.Unlock()
	if !n.shut {
		n.open.Add(1)
	}
	return !n.shut
}

func (n *Network) isShut() bool {
	n.gate.Lock()
	defer n.gate.Unlock()
	return n.shut
}

// Close closes every connection, idle or in use, and waits until none of them reads or writes any more.
// Calls in progress fail; later ones do at once.
func (n *Network) Close() {
	n.mu.Lock()
	n.closed = true
	var used []*link
	var out outcome
	for l := range n.links {
		if l.active == 0 {
			n.discard(l, &out)
		} else {
			used = append(used, l)
		}
	}
	for c := range n.dialers {
		c.shut()
	}
	for _, h := range n.hosts {
		h.failAll(errClosed)
	}
	n.mu.Unlock()
	n.gate.Lock()
	n.shut = true
	n.gate.Unlock()
	out.settle()
	for _, l := range used {
		l.close()
	}
	n.names.Close()
	n.open.Wait()
	n.watch.stop()
}
