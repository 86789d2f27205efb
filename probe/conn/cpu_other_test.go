//go:build !unix

package conn_test

import (
	"testing"
	"time"
)

// reportCPU reports nothing where the processor's time is not had as unix has it.
func reportCPU(*testing.B) (end func()) { return func() {} }

var epoch = time.Now()

// cpu is the time that has gone by, which is no less.
func cpu() time.Duration { return time.Since(epoch) }
