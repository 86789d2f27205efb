package kinds

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// dialogueStep is a step, ready to use; expect is nil where it sends.
type dialogueStep struct {
	expect *regexp.Regexp
	send   []byte
}

const (
	// maxHeard bounds what is kept of what the peer says.
	maxHeard = 64 << 10
	// maxLooked bounds the bytes that are matched in one dialogue: what has come is looked at again with
	// each piece that comes, and a peer can send very small ones.
	maxLooked = 8 << 20
)

// dialogue is one that is being held.
type dialogue struct {
	secrets secrets
	heard   []byte         // what has come since the last match
	expect  *regexp.Regexp // what is waited for; nil while nothing is
	unsent  error          // why the last send did not go out, while nothing has answered it all the same
	looked  int            // bytes matched so far
	old     int            // bytes of heard that had come before the last send
}

// hold goes through the steps. A peer that speaks and goes may do so before we send, or after: what it has said is
// listened to either way.
func (d *dialogue) hold(c io.ReadWriter, steps []dialogueStep) error {
	for _, s := range steps {
		var err error
		if s.expect != nil {
			err = d.answered(d.listen(c, s.expect))
		} else {
			err = d.say(c, s.send)
		}
		if err != nil {
			return err
		}
	}
	return d.unsent
}

// say sends, unless the peer takes nothing any more; whether that is a failure, what it has said will tell.
func (d *dialogue) say(c io.Writer, text []byte) error {
	d.old = len(d.heard)
	if d.unsent != nil {
		return nil
	}
	_, err := c.Write(text)
	if conn.Gone(err) {
		d.unsent, err = err, nil
	}
	return err
}

// answered is what has come of listening. Where nothing more came, it is the send before that failed.
func (d *dialogue) answered(err error) error {
	unsent := d.unsent
	if d.unsent = nil; unsent != nil && conn.Gone(err) {
		return unsent
	}
	return err
}

// listen reads until the expression matches what has come since the last match, and takes the match and
// all before it away. It looks each time that something has come, so that no dialogue waits for more
// than it needs. Silence matches nothing, not even an expression that the empty text would match.
func (d *dialogue) listen(c io.Reader, expect *regexp.Regexp) error {
	d.expect = expect
	for {
		if len(d.heard) > 0 {
			d.looked += len(d.heard)
			if at := expect.FindIndex(d.heard); at != nil {
				d.heard, d.expect = d.heard[at[1]:], nil
				d.old = max(0, d.old-at[1])
				return nil
			}
		}
		if len(d.heard) >= maxHeard || d.looked > maxLooked {
			return d.other(false, "")
		}
		if err := d.hear(c); err != nil {
			return err
		}
	}
}

// hear reads what comes next.
func (d *dialogue) hear(c io.Reader) error {
	if len(d.heard) == cap(d.heard) {
		grown := make([]byte, len(d.heard), min(maxHeard, max(512, 2*len(d.heard))))
		copy(grown, d.heard)
		d.heard = grown
	}
	n, err := c.Read(d.heard[len(d.heard):cap(d.heard)])
	d.heard = d.heard[:len(d.heard)+n]
	if n > 0 {
		return nil // what has come is looked at first; the error comes again
	}
	return err
}

// other is the failure of a peer that has said something else than it should; nil when it has said
// nothing, or nothing was waited for. more says that it may have been about to say more: then another
// attempt is worth it; when says what ended the wait, where the reader would not think of that himself.
func (d *dialogue) other(more bool, when string) *conn.Failure {
	if d.expect == nil || len(d.heard) == 0 {
		return nil
	}
	return &conn.Failure{
		Reason: probe.ReasonAssertion, Transient: more,
		Err: fmt.Errorf("received %q%s, want a match of %q", d.secrets.quotable(d.heard), when, strings.TrimPrefix(d.expect.String(), lineFlag)),
	}
}

// judge turns the end of an attempt into the failure of a peer that has said something else, where it has:
// then it was not silent, it did not just go away, nor was it slow, whichever limit or deadline was the first
// to end the wait. What is left of what it said before we sent is no answer to that. The batch's end leaves
// it the benefit of the doubt: it comes when it comes, not when the peer has had the time that the file
// gives it. total is how long the limit total is.
func (d *dialogue) judge(a *probe.Attempt, total time.Duration) {
	closed := a.Reason == probe.ReasonDisconnected && conn.Closed(a.Err)
	when := ""
	if a.Reason == probe.ReasonLimitTotal {
		when = fmt.Sprintf(" before limit total (%v) passed", total)
	}
	f := d.other(!closed, when)
	if f == nil || len(d.heard) <= d.old {
		return
	}
	switch a.Reason {
	case probe.ReasonDisconnected, probe.ReasonLimitSockRead, probe.ReasonLimitTotal:
	case probe.ReasonDeadline:
		if !errors.Is(a.Err, probe.ErrDeadline) {
			a.Err = probe.Reworded(a.Err, a.Err.Error()+"; "+f.Err.Error())
			return
		}
	default:
		return
	}
	overrule(a, f)
}

// sent puts in what a dialogue sends: the words of it that are no commands.
func (s *secrets) sent(text string) {
	for _, word := range strings.Fields(text) {
		if strings.ToUpper(word) != word || strings.ContainsAny(word, "0123456789") {
			s.Add(word)
		}
	}
}
