//go:build unix

package conn_test

import (
	"syscall"
	"testing"
	"time"
)

// reportCPU begins to measure the processor's time of this process, and reports what it was by operation.
func reportCPU(b *testing.B) (end func()) {
	before := cpu()
	return func() { b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op") }
}

// cpu is the processor's time that this process has had.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
