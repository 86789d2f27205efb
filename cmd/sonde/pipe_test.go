//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sonde/probe/conn"
	"sonde/schema"
)

// pipe makes a named pipe.
func pipe(t *testing.T, name string) string {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAPipeThatTheShellHandsOver(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	for _, command := range []string{"once", "check"} {
		cmd := exec.Command("sonde", command, "/dev/stdin")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		p := startUnder(t, cmd)
		io.WriteString(in, probesText("home="+web.URL+"/ok"))
		in.Close()
		if status := p.wait(t); status != statusOK {
			t.Errorf("%s ends with %d, want 0:\n%s%s", command, status, p.out, p.err)
		}
	}
}

// The first signal ends a command that reads what has no end.
func TestASignalEndsTheReadingOfAPipe(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"once", "check"} {
		cmd := exec.Command("sonde", command, "/dev/stdin")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		p := startUnder(t, cmd)
		io.WriteString(in, strings.Repeat("# more than a pipe holds, so that it is read when this returns\n", 1<<12))
		p.signal(t, sigterm)
		if status := p.wait(t); status != 128+int(sigterm) {
			t.Errorf("%s ends with %d, want %d:\n%s", command, status, 128+int(sigterm), p.err)
		}
		if want := "sonde: reading /dev/stdin: stopped by a signal (terminated)\n"; p.err.String() != want {
			t.Errorf("%s says %q, want %q", command, p.err, want)
		}
	}
}

// Nothing that waits for ever is read, and run, which reads again and again, takes no pipe at all.
func TestNoOtherPipeIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := pipe(t, filepath.Join(dir, "probes.yaml"))
	for _, args := range [][]string{{"run", name}, {"run", dir}, {"run", "/dev/fd/0"}, {"check", name}, {"check", dir}, {"once", name}, {"once", dir}, {"check", "/dev/zero"}, {"test", name}} {
		cmd := exec.Command("sonde", args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		s := startUnder(t, cmd)
		if status := s.wait(t); status == statusOK || !strings.Contains(s.err.String()+s.out.String(), "is no regular file") {
			t.Errorf("%v ends with %d and says:\n%s", args, status, s.err)
		}
	}
}

func TestAPipeThatComesIntoAWatchedFolder(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.yaml"), probesText("home="+web.URL+"/ok"))
	s, url := startRun(t, dir)
	pipe(t, filepath.Join(dir, "b.yaml"))
	s.err.await(t, `msg="reload failed; what ran before runs on" cause="file change" error=".*b.yaml: it is no regular file`)
	if status, body := call(t, "POST", url+"/-/reload"); status != 500 || !strings.Contains(body, "it is no regular file") {
		t.Errorf("a reload answers %d %q", status, body)
	}
}

// A reload that hangs, as on a file system that does not answer, keeps sonde neither from its end nor
// those who asked for it.
func TestAReloadThatHangs(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	asker, leave := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer leave()
	if _, err := r.ask(asker, "request"); err != context.DeadlineExceeded {
		t.Errorf("who asked gets %v, want %v", err, context.DeadlineExceeded)
	}
	r.stop()
	<-r.over
}

func TestAReadingThatHangsIsLeftBehind(t *testing.T) {
	t.Parallel()
	hangs, dropped := make(chan struct{}), make(chan *schema.Set)
	ctx, cancel := context.WithCancelCause(t.Context())
	left := errors.New("left")
	go cancel(left)
	set := &schema.Set{}
	read := func() (*schema.Set, error) {
		<-hangs
		return set, nil
	}
	if _, err := guarded(ctx, source{name: "a"}, read, func(s *schema.Set) { dropped <- s }); !errors.Is(err, left) {
		t.Errorf("the error is %v, want %v", err, left)
	}
	close(hangs)
	if got := <-dropped; got != set {
		t.Error("what was read in the end is not what is dropped")
	}
}

func TestPartsThatDoNotEndAreNamed(t *testing.T) {
	t.Parallel()
	var p parts
	hangs := make(chan struct{})
	defer close(hangs)
	p.start("runs", func() {})
	p.start("reload", func() { <-hangs })
	<-p[0].ended
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if left := p.wait(ctx); len(left) != 1 || left[0] != "reload" {
		t.Errorf("left are %v, want reload alone", left)
	}
}

// A run that is asked to stop while it still reads its files ends as at any other time: well, and at once.
func TestARunThatStillReadsIsStopped(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	defer close(hangs)
	ctx, cancel := context.WithCancelCause(t.Context())
	var said bytes.Buffer
	term := newTerminal(io.Discard, &said)
	term.detach(ctx)
	flags := daemonFlags{Web: webFlags{Listen: []string{"127.0.0.1:0"}}, probeFlags: probeFlags{Concurrency: 1}, Log: logFlags{"info", "logfmt"}}
	err := flags.serve(ctx, term, func(*conn.Network) source {
		return source{name: "probes.yaml", read: func() (*schema.Set, error) {
			cancel(interrupted{sigterm})
			<-hangs
			return nil, errors.New("left behind")
		}}
	}, nil)
	if term.close(); err != nil || !strings.Contains(said.String(), `msg="stopped before the first probe ran" cause="reading probes.yaml: stopped by a signal (terminated)"`) {
		t.Errorf("it ends with %v and says %s", err, &said)
	}
}
