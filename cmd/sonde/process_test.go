package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const (
	sighup  = syscall.SIGHUP
	sigterm = syscall.SIGTERM
)

// sondeProcess is a sonde in a process of its own.
type sondeProcess struct {
	cmd      *exec.Cmd
	out, err *output
}

func startProcess(t *testing.T, args ...string) *sondeProcess {
	t.Helper()
	return startUnder(t, exec.Command("sonde", args...))
}

// startUnder starts a command that becomes sonde.
func startUnder(t *testing.T, cmd *exec.Cmd) *sondeProcess {
	t.Helper()
	p := &sondeProcess{cmd: cmd, out: newOutput(), err: newOutput()}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	return p
}

func (p *sondeProcess) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the process has ended and returns its exit status.
func (p *sondeProcess) wait(t *testing.T) int {
	t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}
