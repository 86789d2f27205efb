//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stall is a standard error whose reader stops reading.
type stall struct {
	t      *testing.T
	r      *os.File
	w      *os.File // the process's
	filler int
}

func newStall(t *testing.T) *stall {
	t.Helper()
	name := pipe(t, filepath.Join(t.TempDir(), "stderr"))
	open := func(flags int) int {
		fd, err := syscall.Open(name, flags|syscall.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	s := &stall{t: t, r: os.NewFile(uintptr(open(syscall.O_RDONLY|syscall.O_NONBLOCK)), name), w: os.NewFile(uintptr(open(syscall.O_WRONLY)), name)}
	s.filler = open(syscall.O_WRONLY | syscall.O_NONBLOCK)
	t.Cleanup(func() { s.r.Close(); s.w.Close(); s.close() })
	return s
}

// fill fills what nobody reads.
func (s *stall) fill() {
	for _, n := range []int{4096, 1} {
		var err error
		for err == nil {
			_, err = syscall.Write(s.filler, bytes.Repeat([]byte("."), n))
		}
		if err != syscall.EAGAIN {
			s.t.Fatal(err)
		}
	}
}

// close leaves the process as the only one who writes.
func (s *stall) close() {
	s.w.Close()
	if s.filler >= 0 {
		syscall.Close(s.filler)
	}
	s.filler = -1
}

// start starts sonde with this standard error.
func (s *stall) start(args ...string) *sondeProcess {
	s.t.Helper()
	p := &sondeProcess{cmd: exec.Command("sonde", args...), out: newOutput()}
	p.cmd.Stdout, p.cmd.Stderr = p.out, s.w
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	return p
}

// served reads until it is said where sonde serves.
func (s *stall) served() (url string) {
	s.t.Helper()
	for lines := bufio.NewScanner(s.r); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "url="); ok {
			return strings.TrimSuffix(url, "/")
		}
	}
	s.t.Fatal("it does not serve")
	return ""
}

// deadTarget answers 500 to all, and tells of each request.
func deadTarget(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	requests := make(chan struct{}, 1000)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests <- struct{}{}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(web.Close)
	return web.URL, requests
}

// Nobody reads the log, and its pipe is full: probes are run and counted, a reload is answered, and the first
// signal ends it, with 0.
func TestRunWhoseLogNobodyReads(t *testing.T) {
	t.Parallel()
	s := newStall(t)
	target, asked := deadTarget(t)
	p := s.start("run", "--web.listen-address=127.0.0.1:0", probesFile(t, "dead="+target))
	url := s.served()
	s.fill()
	for len(asked) > 0 {
		<-asked
	}
	for range 6 { // three runs of two attempts
		<-asked
	}
	if got := metric(t, url, `sonde_run_failures_total{probe="dead"}`); got == "0" || got == "absent" {
		t.Errorf("%s runs have failed, want some", got)
	}
	if status, body := call(t, "POST", url+"/-/reload"); status != 200 {
		t.Errorf("a reload answers %d %q, want 200", status, body)
	}
	p.signal(t, sigterm)
	if status := p.wait(t); status != statusOK {
		t.Errorf("exit status %d after SIGTERM, want 0", status)
	}
}

func TestOnceWhoseLogNobodyReads(t *testing.T) {
	t.Parallel()
	var pairs []string
	for i := range 20 {
		pairs = append(pairs, fmt.Sprintf("dead-%d=http://127.0.0.1:1/", i))
	}
	s := newStall(t)
	s.fill()
	p := s.start("once", "--deadline=1m", probesFile(t, pairs...))
	if status := p.wait(t); status != statusFailed {
		t.Errorf("exit status %d, want 1", status)
	}
	if !strings.Contains(p.out.String(), "20 probes: 20 down") {
		t.Error("the table does not come")
	}
}

// A signal ends even what waits for ever for its reader.
func TestASignalEndsAOnceWhoseLogNobodyReads(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	s := newStall(t)
	s.fill()
	p := s.start("once", probesFile(t, "silent="+web.URL+"/silent"))
	<-web.waiting
	p.signal(t, os.Interrupt)
	if status := p.wait(t); status != statusInterrupted {
		t.Errorf("exit status %d, want 130", status)
	}
}

// What keeps a command from its work comes out, though its reader is slow.
func TestAFailureComesOut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, file, "probes: 1\n")
	for _, command := range []string{"run", "once", "explain"} {
		s := newStall(t)
		s.fill()
		p := s.start(command, file)
		s.close()
		said, err := io.ReadAll(s.r)
		if err != nil {
			t.Fatal(err)
		}
		if status := p.wait(t); status != statusCannot || !bytes.Contains(said, []byte(file+":1:9: ")) || !bytes.Contains(said, []byte("\nsonde: hint: ")) {
			t.Errorf("%s ends with %d and says %s", command, status, bytes.TrimLeft(said, "."))
		}
	}
}

// The reader has gone, as in sonde run 2>&1 | head -1.
func TestRunOutlivesItsReader(t *testing.T) {
	t.Parallel()
	s := newStall(t)
	target, asked := deadTarget(t)
	p := s.start("run", "--web.listen-address=127.0.0.1:0", probesFile(t, "dead="+target))
	url := s.served()
	s.r.Close()
	for len(asked) > 0 {
		<-asked
	}
	for range 6 {
		<-asked
	}
	if got := metric(t, url, "sonde_log_lines_dropped_total"); got == "0" || got == "absent" {
		t.Errorf("%s lines were dropped, want some", got)
	}
	p.signal(t, sigterm)
	if status := p.wait(t); status != statusOK {
		t.Errorf("exit status %d, want 0", status)
	}
}
