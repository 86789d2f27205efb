package kinds

import (
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"sonde/probe"
	"sonde/probe/conn"
)

// gone is a peer that has gone: it has said something, and takes so many writes.
type gone struct {
	io.Reader
	takes int
}

func (g *gone) Write(p []byte) (int, error) {
	if g.takes == 0 {
		return 0, syscall.EPIPE
	}
	g.takes--
	return len(p), nil
}

// TestDialogueWithOneWhoHasGone has sends fail, and what was said before still be there.
func TestDialogueWithOneWhoHasGone(t *testing.T) {
	t.Parallel()
	hello, bye, send := dialogueStep{expect: regexp.MustCompile("hello")}, dialogueStep{expect: regexp.MustCompile("bye")}, dialogueStep{send: []byte("x")}
	for _, test := range []struct {
		name  string
		said  string
		takes int
		steps []dialogueStep
		want  error
	}{
		{"answered already", "hello", 0, []dialogueStep{send, hello}, nil},
		{"sent twice", "hello", 0, []dialogueStep{send, send, hello}, nil},
		{"answered twice", "hello, bye", 0, []dialogueStep{send, hello, send, bye}, nil},
		{"taken, and answered", "hello", 1, []dialogueStep{send, hello}, nil},
		{"not answered", "", 0, []dialogueStep{send, hello}, syscall.EPIPE},
		{"answered once", "hello", 0, []dialogueStep{send, hello, send, bye}, syscall.EPIPE},
		{"the last word", "hello", 0, []dialogueStep{hello, send}, syscall.EPIPE},
		{"taken, and not answered", "", 1, []dialogueStep{send, hello}, io.EOF},
	} {
		d := dialogue{}
		if err := d.hold(&gone{strings.NewReader(test.said), test.takes}, test.steps); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}

// TestTCPResetAtOnce has a peer speak and reset the connection at once: whether that comes before we look whether we are
// connected, before we send or after makes no difference.
func TestTCPResetAtOnce(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "554 go away\r\n")
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}()
	n := conn.New(conn.Options{})
	defer n.Close()
	for _, test := range []struct {
		reason probe.Reason
		steps  []TCPStep
	}{
		{"", []TCPStep{{Expect: "^554"}}},
		{"", []TCPStep{{Send: "EHLO\r\n"}, {Expect: "^554"}}},
		{probe.ReasonAssertion, []TCPStep{{Send: "EHLO\r\n"}, {Expect: "^220"}}},
		{probe.ReasonDisconnected, []TCPStep{{Expect: "^554.*\r\n"}, {Send: "EHLO\r\n"}, {Expect: "^250"}}},
	} {
		s := newTCP(&house{net: n.Starter()}).(*TCP)
		s.Address, s.Dialogue = l.Addr().String(), test.steps
		p, err := s.Prober(probe.Env{})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if a := p.Probe(t.Context(), probe.Try{Number: 1}); a.Reason != test.reason {
				t.Fatalf("%+v: got %q in %v, %v: %v, want %q", test.steps, a.Reason, a.Phase, a.Evidence, a.Err, test.reason)
			}
		}
	}
}
