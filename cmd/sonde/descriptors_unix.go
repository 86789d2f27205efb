//go:build unix

package main

import (
	"math"
	"syscall"
)

// descriptorLimit is how many file descriptors this process may have; 0 is not known.
func descriptorLimit() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return int(min(uint64(r.Cur), math.MaxInt32))
}
