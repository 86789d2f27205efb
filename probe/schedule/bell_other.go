//go:build !linux

package schedule

// newBell is a bell of Go's timers.
func newBell(bool) bell { return newTimerBell() }
