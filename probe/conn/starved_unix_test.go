//go:build unix

package conn_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// TestStopped stops the process in the midst of many runs for longer than they may last.
func TestStopped(t *testing.T) {
	got := starve(t, 0, func(c *os.Process) {
		c.Signal(syscall.SIGSTOP)
		time.Sleep(1200 * time.Millisecond)
		c.Signal(syscall.SIGCONT)
	})
	checkStarved(t, got)
	if got["silent unknown prober_late"] == 0 {
		t.Error("no run was cut by our own lateness, want some: the process was not stopped in the midst of any")
	}
}
