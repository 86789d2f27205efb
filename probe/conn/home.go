package conn

import (
	"cmp"
	"net"
	"net/netip"
	"sync"
	"time"

	"sonde/probe"
)

// A target on this machine shares its processors with us, and is starved when the machine is. Our own lateness
// tells less of that than it could: who sleeps most of the time, as we do, is let run sooner than a server with
// much to do.

// atHome is true when the other end, be it the target or a proxy, is on this machine. The lock is held.
func (c *Call) atHome() bool {
	to := cmp.Or(c.address, c.dialing, c.leads)
	if c.home.to != to || c.home.raw != c.raw {
		c.home = home{to, c.raw, isHome(to, c.raw)}
	}
	return c.home.is
}

// home is whether an address is this machine's, as it was last asked.
type home struct {
	to  string
	raw net.Conn // to it, nil while there is none
	is  bool
}

func isHome(to string, raw net.Conn) bool {
	remote, err := netip.ParseAddrPort(to)
	if err != nil {
		host, _, _ := net.SplitHostPort(to)
		return host == "localhost"
	}
	return remote.Addr().IsLoopback() || raw != nil && addrPort(raw.LocalAddr()).Addr() == remote.Addr().Unmap()
}

// unreadFor is how long a request may lie unread for want of a processor: no scheduler keeps anybody waiting for
// longer, so that a server of this machine which has not read it by then is at fault itself.
const unreadFor = 2 * time.Second

// unreadAtHome is true when the other end is on this machine, which is short of processors, and has not got round to
// reading what we have sent. The lock is held.
func (c *Call) unreadAtHome() bool {
	if c.phase != probe.PhaseTLS && c.phase != probe.PhaseWait || c.raw == nil || c.now()-c.since > unreadFor || !c.atHome() {
		return false
	}
	local, remote := addrPort(c.raw.LocalAddr()), addrPort(c.raw.RemoteAddr())
	return local.IsValid() && remote.IsValid() && peerUnread(local, remote) && c.net.pressure.high(time.Now())
}

// addrPort is the address and port of a TCP socket; invalid of anything else.
func addrPort(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	to := t.AddrPort()
	return netip.AddrPortFrom(to.Addr().Unmap().WithZone(""), to.Port())
}

// How often it is looked how long the machine's processes wait for its processors, and in what part of the time
// somebody must have done so for the machine to be short of them.
const (
	pressureEvery = 500 * time.Millisecond
	pressureHigh  = 0.75
)

// pressure is how short of processors the machine is. Two looks are kept, so that the time judged is never only a
// moment.
type pressure struct {
	mu           sync.Mutex
	older, newer waits
	wait         func() (time.Duration, bool)
}

// waits is how long in all somebody had waited for a processor at an instant.
type waits struct {
	at     time.Time
	waited time.Duration
}

// note looks, if the last look is long enough ago; anew is after a pause in which nobody looked for want of attempts,
// and of which no more than a moment is to be judged.
func (p *pressure) note(now time.Time, anew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := now.Sub(p.newer.at)
	if since < pressureEvery {
		return
	}
	if anew && since > 2*pressureEvery {
		p.older, p.newer = waits{}, waits{}
	}
	if waited, ok := p.wait(); ok {
		p.older, p.newer = p.newer, waits{now, waited}
	}
}

// high is true when the machine is short of processors.
func (p *pressure) high(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := p.older
	if from.at.IsZero() {
		from = p.newer
	}
	waited, ok := p.wait()
	return ok && !from.at.IsZero() && now.After(from.at) && float64(waited-from.waited) >= pressureHigh*float64(now.Sub(from.at))
}
