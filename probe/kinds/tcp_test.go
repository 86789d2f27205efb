package kinds

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

var tcpTarget = target{
	aim: func(s probe.Settings, address string) {
		s.(*TCP).Address = address
		s.(*TCP).Dialogue = []TCPStep{{Expect: "^hello"}}
	},
	serve: func(c *memnet.Conn, _ *bufio.Reader) { io.WriteString(c, "hello\r\n") },
}

// tcp is settings for a dialogue at here; a step that begins with > is sent.
func (w *world) tcp(steps ...string) *TCP {
	s := newTCP(w.house()).(*TCP)
	s.Address = here
	for _, step := range steps {
		if text, ok := strings.CutPrefix(step, ">"); ok {
			s.Dialogue = append(s.Dialogue, TCPStep{Send: text})
		} else {
			s.Dialogue = append(s.Dialogue, TCPStep{Expect: Regexp(step)})
		}
	}
	return s
}

// judgement is what the tests of a failure look at.
type judgement struct {
	OK        bool
	Reason    probe.Reason
	Transient bool
	Evidence  probe.Evidence
	Phase     probe.Phase
	Err       string
}

func judged(a probe.Attempt) judgement {
	j := judgement{OK: a.OK, Reason: a.Reason, Transient: a.Transient, Evidence: a.Evidence, Phase: a.Phase}
	if a.Err != nil {
		j.Err = a.Err.Error()
	}
	return j
}

// The pieces of the scripts below: what is said, and what is done.
const (
	waits  = "\x00waits"
	resets = "\x00resets"
	reads  = "\x00reads"
)

// script is a connection to a peer that does what the pieces say and closes.
func script(w *world, pieces []string) func(c *memnet.Conn, r *bufio.Reader) {
	return func(c *memnet.Conn, r *bufio.Reader) {
		for _, piece := range pieces {
			switch piece {
			case waits:
				w.pause(time.Hour)
			case resets:
				c.Abort()
			case reads:
				if _, err := r.ReadString('\n'); err != nil {
					return
				}
			default:
				io.WriteString(c, piece)
				w.pause(time.Second) // so that pieces come one by one
			}
		}
	}
}

func TestTCPDialogue(t *testing.T) {
	t.Parallel()
	failed := func(r probe.Reason, transient bool, e probe.Evidence, text string) judgement {
		return judgement{Reason: r, Transient: transient, Evidence: e, Err: text}
	}
	passed := judgement{OK: true, Evidence: probe.Answered}
	greeting := []string{"220 mail", ".example.com\r\n"}
	for _, test := range []struct {
		name  string
		peer  []string
		steps []string
		want  judgement
	}{
		{"nothing is said", []string{waits}, nil, judgement{OK: true, Evidence: probe.NeverSent}},
		{"a greeting in pieces", greeting, []string{`^220 .*\r\n`}, passed},
		{"a whole dialogue", []string{"220 hi\r\n", reads, "250-a\r\n", "250 STARTTLS\r\n", reads, "221 bye\r\n"},
			[]string{"^220 ", ">EHLO x\r\n", "(?m)^250[ -]STARTTLS", ">QUIT\r\n", "^\\s*221"}, passed},
		{"a line after the one that was matched", []string{"220 hi\r\n221 bye\r\n"}, []string{"^220 ", "^221 "}, passed},
		{"a line after what was sent", []string{"220 hi\r\n", reads, "250-a\r\n250 STARTTLS\r\n", reads, "221 bye\r\n"},
			[]string{"^220 .* ESMTP|^220 hi", ">EHLO x\r\n", "^250[ -]STARTTLS\r?$", ">QUIT\r\n", "^221 "}, passed},
		{"no line begins so", []string{"220 221 hi\r\n", waits}, []string{"^220", "hi", "^221"},
			failed(probe.ReasonAssertion, true, probe.Answered, `received "\r\n", want a match of "^221"`)},
		{"a prompt that is no line", []string{"login: ", reads, "login: bob\nPassword: "}, []string{"^login: $", ">bob\n", "^Password: $"}, passed},
		{"all that came as one text", []string{"one\ntwo\n", waits}, []string{"(?-m)^two"},
			failed(probe.ReasonAssertion, true, probe.Answered, `received "one\ntwo\n", want a match of "(?-m)^two"`)},
		{"two matches in one piece", []string{"one two\n", waits}, []string{"one", "^ two"}, passed},
		{"a match is used up", []string{"one\n", waits}, []string{"one", "one"},
			failed(probe.ReasonAssertion, true, probe.Answered, `received "\n", want a match of "one"`)},
		{"sends what nobody reads", []string{waits}, []string{">hello"}, judgement{OK: true, Evidence: probe.Unanswered}},
		{"closes at once", nil, []string{"^220 "}, failed(probe.ReasonDisconnected, true, probe.NeverSent, "the peer closed the connection before it said anything")},
		{"closes after a send", []string{reads}, []string{">HELO\n", "^250"}, failed(probe.ReasonDisconnected, true, probe.Unanswered, "the peer closed the connection before it said anything")},
		{"closes after the match", []string{"220 hi\n"}, []string{"^220 .*\n", "^250"}, failed(probe.ReasonDisconnected, true, probe.Answered, "the peer closed the connection")},
		{"says something else and closes", []string{"554 go away\r\n"}, []string{"^220 "},
			failed(probe.ReasonAssertion, false, probe.Answered, `received "554 go away\r\n", want a match of "^220 "`)},
		{"says something else and waits", []string{"554 busy\r\n", waits}, []string{"^220 "},
			failed(probe.ReasonAssertion, true, probe.Answered, `received "554 busy\r\n", want a match of "^220 "`)},
		{"says something else and resets", []string{"22", resets}, []string{"^220 "},
			failed(probe.ReasonAssertion, true, probe.Answered, `received "22", want a match of "^220 "`)},
		{"says nothing", []string{waits}, []string{"^220 "},
			failed(probe.ReasonLimitSockRead, true, probe.NeverSent, "limit sock_read: no byte for 10s while waiting for what the peer says")},
		{"says nothing, which would match", []string{waits}, []string{".*"},
			failed(probe.ReasonLimitSockRead, true, probe.NeverSent, "limit sock_read: no byte for 10s while waiting for what the peer says")},
		{"says too much", []string{strings.Repeat("x", maxHeard), waits}, []string{"y"},
			failed(probe.ReasonAssertion, false, probe.Answered, `received "`+strings.Repeat("x", maxQuoted)+`…", want a match of "y"`)},
		{"echoes what was sent", []string{reads, "-ERR no user Hunter22\r\n"}, []string{">PASS Hunter22\r\n", `^\+OK`},
			failed(probe.ReasonAssertion, false, probe.Answered, `received "-ERR no user <secret>\r\n", want a match of "^\\+OK"`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				w.serve(here, script(w, test.peer))
				a := w.try(w.tcp(test.steps...))
				got := judged(a)
				got.Phase = 0 // which one it is depends on what came, and is conn's
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("attempt (-want +got):\n%s", diff)
				}
				if !a.Repeatable {
					t.Error("the attempt is not repeatable")
				}
			})
		})
	}
}

func TestTCPCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		s    TCP
		want []string
	}{
		{"good", TCP{Address: "[2001:db8::1]:22", Dialogue: []TCPStep{{Expect: "^SSH"}, {Send: "x"}}}, nil},
		{"no port", TCP{Address: "db.example.com"}, []string{`address is "db.example.com", want host:port, such as db.example.com:5432 or [2001:db8::1]:5432`}},
		{"no host", TCP{Address: ":22"}, []string{`address is ":22", want host:port, such as db.example.com:5432 or [2001:db8::1]:5432`}},
		{"a URL", TCP{Address: "tcp://h:22"}, []string{`address is "tcp://h:22", want host:port, such as db.example.com:5432 or [2001:db8::1]:5432`}},
		{"bad port", TCP{Address: "h:70000"}, []string{`address is "h:70000", want a port from 1 to 65535`}},
		{"named port", TCP{Address: "h:ssh"}, []string{`address is "h:ssh", want a port from 1 to 65535`}},
		{"steps", TCP{Address: "h:1", Dialogue: []TCPStep{{}, {Expect: "a", Send: "b"}}},
			[]string{"dialogue[0] has neither expect nor send, want one of them", "dialogue[1] has expect and send, want two steps"}},
		{"key alone", TCP{Address: "h:1", TLS: &TLS{KeyFile: "k"}}, []string{"tls.key_file stands without cert_file, want both"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, texts(test.s.Check(standard))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// texts are faults as they are shown; a warning says so.
func texts(faults []probe.Fault) []string {
	var all []string
	for _, f := range faults {
		text := f.Error()
		if f.Warning {
			text = "warning: " + text
		}
		all = append(all, text)
	}
	return all
}

func TestTCPHostIsInOneForm(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"DB.Example.com:5432": "db.example.com:5432", "[::1]:22": "[::1]:22", "bücher.example:1": "xn--bcher-kva.example:1"} {
		if got := (&TCP{Address: address}).Host(); got != want {
			t.Errorf("the host of %q is %q, want %q", address, got, want)
		}
	}
}

// FuzzDialogue lets a peer say anything in pieces of any size.
func FuzzDialogue(f *testing.F) {
	f.Add([]byte("220 hello\r\n250 ok"), "^220", 3)
	f.Add([]byte(strings.Repeat("a", 70000)), "b", 7000)
	f.Fuzz(func(t *testing.T, said []byte, pattern string, piece int) {
		var r Regexp
		if r.UnmarshalText([]byte(pattern)) != nil || len(pattern) > 50 || pattern == "" {
			return
		}
		d := dialogue{}
		err := d.hold(struct {
			io.Reader
			io.Writer
		}{&pieces{said, max(1, piece)}, io.Discard}, []dialogueStep{{expect: Regexps{r}.compile()[0]}, {expect: Regexps{r}.compile()[0]}})
		if len(d.heard) > maxHeard || cap(d.heard) > 2*maxHeard {
			t.Errorf("%d bytes are kept, want at most %d", len(d.heard), maxHeard)
		}
		if (err == nil) != (d.expect == nil) {
			t.Errorf("error %v while %v is expected", err, d.expect)
		}
	})
}

// pieces is a reader of at most size bytes at a time.
type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}
