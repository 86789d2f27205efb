package schedule

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// kernelBell is a bell of the kernel's, which is heard like a packet on a socket. While Go collects garbage
// and there is little else to do, every core marks; those that mark look for sockets and for goroutines that
// can run, every fraction of a millisecond, but not for timers: these wait for up to 10 ms, until somebody
// is made to pause (runtime.pollWork). Go's own timers are also late by up to a millisecond when the
// process sleeps, for it asks the kernel in whole ones.
type kernelBell struct {
	file *os.File
	rung atomic.Bool
}

// newBell is the kernel's bell, or one of Go's timers where the process can have none.
func newBell(punctual bool) bell {
	if !punctual {
		return newTimerBell()
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimerBell()
	}
	return &kernelBell{file: os.NewFile(uintptr(fd), "timerfd")}
}

func (b *kernelBell) sleep(d time.Duration) {
	armed := b.arm(max(1, d)) // 0 would disarm it
	if b.rung.Swap(false) {
		return
	}
	var count [8]byte
	if _, err := b.file.Read(count[:]); err != nil || !armed {
		time.Sleep(min(d, time.Millisecond)) // it cannot be, and must not become a loop without a rest
	}
}

// ring has the bell ring at once. Who begins to sleep meanwhile has either armed it before, or sees that
// it was rung.
func (b *kernelBell) ring() {
	b.rung.Store(true)
	b.arm(1)
}

// arm has the bell ring after d, and not at the time that was set before.
func (b *kernelBell) arm(d time.Duration) (armed bool) {
	c, err := b.file.SyscallConn()
	if err != nil {
		return false
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	err = c.Control(func(fd uintptr) { armed = unix.TimerfdSettime(int(fd), 0, &spec, nil) == nil })
	return err == nil && armed
}

func (b *kernelBell) close() { b.file.Close() }
