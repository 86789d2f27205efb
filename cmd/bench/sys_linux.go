package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// system says what is missing of the system that the benchmark needs.
func system() error { return nil }

// raiseFiles makes the limit of open files want, or as near to it as the system lets it, for this
// process and its children, and returns the limit there is then.
func raiseFiles(want int) (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("reading the limit of open files: %w", err)
	}
	if limit.Max < uint64(want) {
		higher := syscall.Rlimit{Cur: uint64(want), Max: uint64(want)}
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &higher) == nil {
			return want, nil
		}
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("raising the limit of open files to %d: %w", limit.Max, err)
	}
	return int(min(limit.Cur, 1<<30)), nil
}

// endWithUs has the kernel kill the child when the thread that starts it ends.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// prefer puts this process before all others; not without a privilege. The system calls it a process,
// but means a thread; those to come take after the one that makes them.
func prefer() error {
	threads, err := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, e := strconv.Atoi(t.Name()); e == nil {
			err = errors.Join(err, syscall.Setpriority(syscall.PRIO_PROCESS, id, -19))
		}
	}
	return err
}

// loopbackOnly is for net.ListenConfig.Control: the socket takes connections over the loopback
// interface alone, so that it may listen on all of 127.0.0.0/8 at once, and shares its port with others
// of this process.
func loopbackOnly(_, _ string, c syscall.RawConn) error {
	const soReusePort = 15
	var err error
	if e := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soReusePort, 1)
		if err == nil {
			err = syscall.BindToDevice(int(fd), "lo")
		}
	}); e != nil {
		return e
	}
	return err
}
