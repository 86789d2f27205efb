package main

import (
	"fmt"
	"net/netip"
	"time"

	"sonde/probe"
)

// Each target is an address of its own in 127.0.0.0/8, on one port. So no two share a connection, and
// fresh connections never run out of ports, whatever their rate: ports are spent per destination.
const firstTarget = 127<<24 | 1<<16 // 127.1.0.0

// targetName is the name of the probe of target i, which decides its phase.
func targetName(i int) string { return fmt.Sprintf("t%06d", i) }

// targetURL is where target i answers.
func targetURL(i, port int) string {
	n := uint32(firstTarget + i)
	addr := netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	return fmt.Sprintf("http://%s/", netip.AddrPortFrom(addr, uint16(port)))
}

// targetOf is the number of the target that has an address, or -1.
func targetOf(ip []byte, targets int) int {
	if len(ip) == 16 {
		ip = ip[12:]
	}
	if len(ip) != 4 {
		return -1
	}
	i := int(ip[0])<<24 | int(ip[1])<<16 | int(ip[2])<<8 | int(ip[3])
	if i -= firstTarget; i < 0 || i >= targets {
		return -1
	}
	return i
}

// phaseOf is the place of target i within its interval, in nanoseconds: it is due whenever the time
// since 1970, mod the interval, is its phase.
func phaseOf(i int, interval time.Duration) int64 {
	return probe.NextDue(targetName(i), interval, time.Unix(0, 0)).UnixNano() % int64(interval)
}
