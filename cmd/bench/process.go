package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a program that we have started and that ends with us.
type process struct {
	name    string
	cmd     *exec.Cmd
	started time.Time
	in      io.WriteCloser
	out     *bufio.Reader // nil but for a child
	words   tail          // the last that it said on standard error
}

// stopTimeout is how long a program may take to end when asked, before it is killed.
const stopTimeout = 10 * time.Second

// start starts a program. It must be called from the main goroutine, whose thread lives as long as we.
func start(ctx context.Context, name, program string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.CommandContext(ctx, program, args...)}
	endWithUs(p.cmd)
	p.cmd.Stderr = &p.words
	p.cmd.WaitDelay = time.Second
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// startChild starts this program again as one of its children, and reads into ready what it says first.
func startChild(ctx context.Context, name string, s setup, ready any) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding our own program: %w", err)
	}
	argument, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.CommandContext(ctx, self, name, string(argument))}
	endWithUs(p.cmd)
	p.cmd.Stderr = &p.words
	p.cmd.WaitDelay = time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	if err := p.answer(ready); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// ask gives a child a command and reads its answer; nil takes any.
func (p *process) ask(command string, answer any) error {
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return fmt.Errorf("asking %s to %s: %w: %s", p.name, command, err, p.words.String())
	}
	return p.answer(answer)
}

func (p *process) answer(into any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("answer of %s: %w: %s", p.name, err, p.words.String())
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("answer of %s: %w", p.name, err)
	}
	return nil
}

// alive is whether it has not ended by itself. A process that has ended and was not waited for is
// still there, but is no more than its exit status.
func (p *process) alive() error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid()))
	if err == nil {
		if i := bytes.LastIndexByte(text, ')'); i >= 0 && !bytes.HasPrefix(text[i:], []byte(") Z")) {
			return nil
		}
	}
	return fmt.Errorf("%s has ended by itself: %s", p.name, p.words.String())
}

// stop ends it: a child by the end of its input, others by SIGTERM; and by SIGKILL what takes too long.
func (p *process) stop() {
	if p == nil {
		return
	}
	if p.in != nil {
		p.in.Close()
	} else {
		p.cmd.Process.Signal(syscall.SIGTERM)
	}
	late := time.AfterFunc(stopTimeout, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		say("%s: %v", p.name, err)
	}
}

// tail keeps the last 2 KiB that are written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-2048):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
