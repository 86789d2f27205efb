package schedule

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelBell is a bell of the kernel's, which is heard like a packet on a socket. While Go collects garbage
// and there is little else to do, every core marks; those that mark look for sockets and for goroutines that
// can run, every fraction of a millisecond, but not for timers: these wait for up to 10 ms, until somebody
// is made to pause (runtime.pollWork). Go's own timers are also late by up to a millisecond when the
// process sleeps, for it asks the kernel in whole ones.
//
// The kernel is asked without a word to Go's scheduler (RawSyscall), for it is quick to answer; the word wakes a
// thread that watches for calls that are not (sysmon), and that costs more than the calls.
type kernelBell struct {
	file *os.File
	conn syscall.RawConn // of file
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
	file := os.NewFile(uintptr(fd), "timerfd")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return newTimerBell()
	}
	return &kernelBell{file: file, conn: conn}
}

// sleep arms the bell within the wait, so that no ringing is missed. How often it rang is never read: to arm
// it anew forgets that.
func (b *kernelBell) sleep(d time.Duration) {
	asked, armed := false, false
	err := b.conn.Read(func(fd uintptr) (enough bool) {
		if asked {
			return true
		}
		asked, armed = true, arm(fd, max(1, d)) // 0 would disarm it
		return !armed || b.rung.Swap(false)
	})
	if err != nil || !armed {
		time.Sleep(min(d, time.Millisecond)) // it cannot be, and must not become a loop without a rest
	}
}

// ring has the bell ring at once. Who begins to sleep meanwhile has either armed it before, or sees that
// it was rung.
func (b *kernelBell) ring() {
	b.rung.Store(true)
	b.conn.Control(func(fd uintptr) { arm(fd, 1) })
}

// arm has the bell ring after d, and not at the time that was set before.
func arm(fd uintptr, d time.Duration) bool {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	_, _, errno := syscall.RawSyscall6(unix.SYS_TIMERFD_SETTIME, fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return errno == 0
}

func (b *kernelBell) close() { b.file.Close() }
