package kinds_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// Turns that answer, on either version of HTTP.

// status answers with a status; each of header is a line, as in "Retry-After: 7".
func status(code int, header ...string) turn { return answer(code, "hello", header...) }

func answer(code int, body string, header ...string) turn {
	return turn{serve: func(p *peer) { p.answer(code, body, header) }}
}

var ok = status(200)

// statuses are turns that answer with one status each.
func statuses(codes ...int) []turn {
	var turns []turn
	for _, code := range codes {
		turns = append(turns, status(code))
	}
	return turns
}

// half answers with a header that announces ten bytes, and half of them; then the next does what it does.
func half(next turn) turn { return halfOf(200, next) }

// halfOf is half with another status.
func halfOf(code int, next turn) turn {
	return turn{at: next.at, serve: func(p *peer) {
		p.begin(code, 10, "hello")
		next.serve(p)
	}}
}

// drip answers with a body of n bytes, one at a time.
func drip(n int, every time.Duration) turn {
	return turn{serve: func(p *peer) {
		p.begin(200, n, "")
		for i := range n {
			select {
			case <-time.After(every):
			case <-p.site.lab.over:
				return
			}
			if !p.more("x", i == n-1) {
				return
			}
		}
	}}
}

// after waits before the turn.
func after(d time.Duration, next turn) turn {
	return turn{at: next.at, serve: func(p *peer) {
		select {
		case <-time.After(d):
			next.serve(p)
		case <-p.site.lab.over:
		}
	}}
}

// Turns that break.
var (
	// fin closes the connection.
	fin = turn{serve: func(p *peer) { p.end(); p.raw.Close() }}
	// rst resets it.
	rst = turn{serve: func(p *peer) { p.end(); p.abort() }}
	// silent says nothing for ever.
	silent = turn{serve: func(p *peer) {
		if p.frames == nil {
			p.end()
			io.Copy(io.Discard, p.r)
		}
	}}
	// deaf says nothing, and reads nothing either.
	deaf = turn{at: atHeader, serve: func(p *peer) { p.end(); <-p.site.lab.over }}
)

// says writes a text as it is, on HTTP/1, and then does what the next turn does.
func says(text string, next turn) turn {
	return turn{at: next.at, serve: func(p *peer) {
		io.WriteString(p, text)
		next.serve(p)
	}}
}

// stays lets the connection go on.
var stays = turn{serve: func(*peer) {}}

// Turns of what comes before a connection.

// dialing fails the dial with an error number.
func dialing(errno syscall.Errno) turn {
	return turn{at: atDial, fail: func(context.Context) error { return os.NewSyscallError("connect", errno) }}
}

var (
	refused = dialing(syscall.ECONNREFUSED)
	// unanswered is a SYN that nobody answers.
	unanswered = turn{at: atDial, fail: untilDone}
	// searched is a lookup that nobody answers.
	searched = turn{at: atLookup, fail: untilDone}
)

func untilDone(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// resolving fails the lookup.
func resolving(e net.DNSError) turn {
	e.Name = "host.example"
	return turn{at: atLookup, fail: func(context.Context) error { return &e }}
}

var (
	nxdomain = resolving(net.DNSError{Err: "no such host", IsNotFound: true})
	servfail = resolving(net.DNSError{Err: "server misbehaving", IsTemporary: true})
)

// times is a turn n times over.
func times(n int, t turn) []turn {
	var turns []turn
	for range n {
		turns = append(turns, t)
	}
	return turns
}

// end keeps a connection of HTTP/1 from going on.
func (p *peer) end() { p.over = true }

// abort resets the connection.
func (p *peer) abort() {
	switch c := p.raw.(type) {
	case interface{ Abort() }:
		c.Abort()
	case *net.TCPConn:
		c.SetLinger(0)
		c.Close()
	}
}

// answer writes a whole response.
func (p *peer) answer(code int, body string, header []string) {
	if p.frames != nil {
		p.header(code, body == "", header)
		if body != "" {
			p.data(body, true)
		}
		return
	}
	lines := append([]string{fmt.Sprintf("HTTP/1.1 %d X", code), fmt.Sprintf("Content-Length: %d", len(body))}, header...)
	if p.req.Method == "HEAD" {
		body = ""
	}
	io.WriteString(p, strings.Join(lines, "\r\n")+"\r\n\r\n"+body)
	if p.req.Close {
		p.end()
		p.raw.Close()
	}
}

// begin writes a header that announces so many bytes, and the first of them.
func (p *peer) begin(code, length int, part string) {
	if p.frames != nil {
		p.header(code, false, []string{fmt.Sprintf("content-length: %d", length)})
		if part != "" {
			p.data(part, false)
		}
		return
	}
	fmt.Fprintf(p, "HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s", code, length, part)
}

// more writes more of a body.
func (p *peer) more(part string, last bool) bool {
	if p.frames != nil {
		return p.data(part, last)
	}
	_, err := io.WriteString(p, part)
	return err == nil
}
