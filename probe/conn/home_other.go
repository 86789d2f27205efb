//go:build !linux

package conn

import (
	"net/netip"
	"time"
)

// Where the kernel cannot be asked, only our own lateness speaks for the target.

func peerUnread(_, _ netip.AddrPort) bool { return false }

func waitedForCPU() (waited time.Duration, ok bool) { return 0, false }
