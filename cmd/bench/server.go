package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// server answers for all targets, and sees when each is asked. It is no more than it has to be, since
// it shares the machine with what it serves.
type server struct {
	setup
	port   int
	fair   string
	phases []int64
	last   []atomic.Int64 // when each target was asked last, in nanoseconds since 1970
	seen   atomic.Int64   // how many targets have been asked at least once
	first  atomic.Int64   // when the first request came

	// Since the mark.
	since    atomic.Int64
	requests atomic.Int64
	accepted atomic.Int64
	gaps     *histogram
	lates    *histogram
}

// serverReady is what a server says first.
type serverReady struct {
	Port int
	Fair string // why it could not be put before all others, though it should be
}

// serverReport is what a server has seen since the mark; First and Seen since its start.
type serverReport struct {
	Requests int64
	Accepted int64 // connections
	Elapsed  time.Duration
	Gap      spread // between two requests for one target
	Late     spread // a request, after its target was due
	Seen     int64
	First    int64 // in nanoseconds since 1970; 0 if none came
}

// Several listeners share the port, so that a burst finds place in their queues.
const listenerCount = 4

func startServer(s setup) (worker, error) {
	srv := &server{setup: s, gaps: newHistogram(), lates: newHistogram()}
	srv.last = make([]atomic.Int64, s.Targets)
	for i := range s.Targets {
		srv.phases = append(srv.phases, phaseOf(i, s.Interval))
	}
	if s.Prefer {
		if err := prefer(); err != nil {
			srv.fair = err.Error()
		}
	}
	srv.mark()
	config := net.ListenConfig{Control: loopbackOnly}
	for range listenerCount {
		l, err := config.Listen(context.Background(), "tcp4", fmt.Sprintf("0.0.0.0:%d", srv.port))
		if err != nil {
			return nil, fmt.Errorf("listening on loopback: %w", err)
		}
		srv.port = l.Addr().(*net.TCPAddr).Port
		go srv.accept(l)
	}
	return srv, nil
}

func (s *server) ready() any { return serverReady{s.port, s.fair} }

func (s *server) mark() {
	s.gaps.reset()
	s.lates.reset()
	s.requests.Store(0)
	s.accepted.Store(0)
	s.since.Store(time.Now().UnixNano())
}

func (s *server) report() any {
	return serverReport{
		Requests: s.requests.Load(), Accepted: s.accepted.Load(), Elapsed: time.Duration(time.Now().UnixNano() - s.since.Load()),
		Gap: s.gaps.read(), Late: s.lates.read(), Seen: s.seen.Load(), First: s.first.Load(),
	}
}

// accept goes on through errors, as of a want of files, after a pause.
func (s *server) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.accepted.Add(1)
		go s.serve(c)
	}
}

const (
	answerHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 64\r\n"
	answerBody  = "All is well here and this line is sixty-four bytes, its end too\n"
	answerKeep  = answerHead + "\r\n" + answerBody
	answerClose = answerHead + "Connection: close\r\n\r\n" + answerBody
)

var (
	headEnd   = []byte("\r\n\r\n")
	headClose = []byte("\r\nConnection: close\r\n")
)

// serve answers the requests of one connection. They have no body, and come one after the other.
func (s *server) serve(c net.Conn) {
	defer c.Close()
	target := targetOf(c.LocalAddr().(*net.TCPAddr).IP, s.Targets)
	if target < 0 {
		return
	}
	head := make([]byte, 1024)
	for n := 0; n < len(head); {
		more, err := c.Read(head[n:])
		if err != nil {
			return
		}
		if n += more; !bytes.HasSuffix(head[:n], headEnd) {
			continue
		}
		s.asked(target)
		if bytes.Contains(head[:n], headClose) {
			io.WriteString(c, answerClose)
			return
		}
		if _, err := io.WriteString(c, answerKeep); err != nil {
			return
		}
		n = 0
	}
}

// tooEarly is by how much a request may come before its target is due and still be that one.
const tooEarly = 10 * time.Millisecond

// asked counts a request.
func (s *server) asked(target int) {
	now := time.Now().UnixNano()
	s.requests.Add(1)
	if before := s.last[target].Swap(now); before != 0 {
		s.gaps.record(time.Duration(now - before))
	} else if s.seen.Add(1) == 1 {
		s.first.Store(now)
	}
	s.lates.record(s.lateness(target, now))
}

// lateness is how long now is after the target was due last.
func (s *server) lateness(target int, now int64) time.Duration {
	late := time.Duration((now - s.phases[target]) % int64(s.Interval))
	if s.Interval-late < tooEarly {
		return 0
	}
	return late
}
