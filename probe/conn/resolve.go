package conn

import (
	"net"
	"net/netip"

	"sonde/probe"
)

// resolve is phase resolve: the addresses of a host:port, interleaved by family as RFC 8305 has it. A
// literal IP is its own address. With kept an answer that was had before serves for as long as it holds.
func (c *Call) resolve(address string, kept bool) ([]string, error) {
	c.to(probe.PhaseResolve, numLimits, numLimits)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &addressError{err}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{address}, nil
	}
	c.arm()
	lookup := c.net.names.Lookup
	if kept {
		lookup = c.net.names.LookupKept
	}
	ips, err := lookup(c.ctx, host)
	if err != nil {
		return nil, c.failed(err)
	}
	return interleave(ips, port), nil
}

// addressError is an address that is not host:port.
type addressError struct{ error }

func (e *addressError) Unwrap() error { return e.error }

// interleave takes turns between the family of the first address and the other.
func interleave(ips []net.IP, port string) []string {
	var families [2][]string
	first := ips[0].To4() != nil
	for _, ip := range ips {
		f := 1
		if (ip.To4() != nil) == first {
			f = 0
		}
		families[f] = append(families[f], net.JoinHostPort(ip.String(), port))
	}
	var out []string
	for i := 0; len(out) < len(ips); i++ {
		for _, family := range families {
			if i < len(family) {
				out = append(out, family[i])
			}
		}
	}
	return out
}
