package conn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// write writes the request. When all of it fits into one write that is one packet, header and body; else it
// is written beside the reading, for the peer may answer before it has read all, or read nothing at all. A
// connection that takes no more may still hold an answer, so that is no error.
func (x *http1) write(req *http.Request) error {
	if err := sendable(req); err != nil {
		closeBody(req)
		return err
	}
	if hasBody(req) && (req.ContentLength <= 0 || req.ContentLength > atOnce) {
		return x.writeBeside(req.Write)
	}
	if !render(&x.out, req) {
		if err := req.Write(&x.out); err != nil {
			return err
		}
	}
	if x.out.Len() > atOnce {
		if x.unlooked && !x.link.quiet() {
			return errStirred
		}
		text := strings.NewReader(x.out.String())
		return x.writeBeside(func(w io.Writer) error {
			_, err := io.Copy(w, text)
			return err
		})
	}
	return x.writeAtOnce(x.out.Bytes())
}

func (x *http1) writeAtOnce(p []byte) error {
	n, told, err := x.ask(p)
	switch {
	case err == nil && !told:
		x.call.sent(x.call.hop, n)
		return nil
	case err == nil, err == errStirred:
		return err
	}
	x.call.wrote(n) // also when the call was cut: a part may have gone out
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	why := err // of its own, for most writes have no error to keep
	x.refused = why
	x.link.unheard.CompareAndSwap(nil, &why)
	return nil
}

// ask writes a request, and waits for the answer on a connection that has to be looked at first. told says that the call
// knows of it.
func (x *http1) ask(p []byte) (n int, told bool, err error) {
	if x.unlooked {
		if n, told, err = x.link.ask(x.call, p); err != nil || n == len(p) {
			return n, told, err
		}
	}
	rest, err := x.link.put(p[n:])
	return n + rest, false, err
}

// upload is a request that is written beside the reading.
type upload struct {
	call    *Call
	link    *link
	hop     int
	done    chan struct{} // closed when no more is written
	refused error         // of the connection, once done
	err     error         // of any kind, once done
}

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, atOnce) }}

// writeBeside has the request written by a goroutine of its own, which ends with the connection at the latest.
func (x *http1) writeBeside(write func(io.Writer) error) error {
	u := &upload{call: x.call, link: x.link, hop: x.call.hop, done: make(chan struct{})}
	if !u.link.net.hold() {
		return errClosed
	}
	x.upload = u
	u.link.hurry()
	go func() {
		defer u.link.net.open.Done()
		defer close(u.done)
		u.run(write)
	}()
	return nil
}

// run writes. It may be a body of the caller's that panics: that ends the attempt as the panic of its own goroutine
// would, and the connection, on which half a request stands.
func (u *upload) run(write func(io.Writer) error) {
	defer u.end()
	defer u.call.caught(&u.err)
	w := writers.Get().(*bufio.Writer)
	w.Reset(u)
	if u.err = write(w); u.err == nil {
		u.err = w.Flush()
	}
	w.Reset(nil)
	writers.Put(w)
}

// end says what has come of the writing.
func (u *upload) end() {
	switch {
	case u.err == nil:
		u.call.sent(u.hop, 0)
	case u.refused == nil:
		u.link.abort() // the rest of the body is not to be had, and the peer would wait for it
	}
}

// Write writes for the buffer.
func (u *upload) Write(p []byte) (int, error) {
	u.call.writes(u.hop)
	n, err := u.link.put(p)
	u.call.wroteOf(u.hop, n)
	if u.refused = err; err != nil {
		u.link.unheard.CompareAndSwap(nil, &err)
	}
	return n, err
}

// handOverTime bounds how long a write is waited for that should come to its end, for the connection has,
// or the answer has been read.
const handOverTime = 50 * time.Millisecond

// went is true when all has been written, as it has where there is no upload.
func (u *upload) went() bool {
	if u == nil {
		return true
	}
	t := time.NewTimer(handOverTime)
	defer t.Stop()
	select {
	case <-u.done:
		return u.err == nil
	case <-t.C:
		return false
	}
}

// because is why an exchange failed whose reading failed with err: the upload, when that ended first.
func (u *upload) because(err error) error {
	select {
	case <-u.done:
	default:
		return err
	}
	switch {
	case u.err == nil:
		return err
	case u.refused == nil:
		return u.err
	}
	u.link.ended.CompareAndSwap(nil, &u.refused)
	return err
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// sendable is an error when the request cannot be put on a connection, whatever the peer.
func sendable(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("the request has no URL")
	case req.URL.Host == "":
		return errors.New("the request's URL has no host")
	case req.Method != "" && !isToken(req.Method):
		return fmt.Errorf("invalid method %q", req.Method)
	}
	for name, values := range req.Header {
		if !isToken(name) {
			return fmt.Errorf("invalid header field name %q", name)
		}
		for _, v := range values {
			if !isFieldValue(v) {
				return fmt.Errorf("invalid header field value for %q", name)
			}
		}
	}
	return nil
}

// isToken is true of what a method and the name of a header field may be (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && tokens.hold(s)
}

var tokens = bytesOf("!#$%&'*+-.^_`|~")

// isFieldValue is true of what holds no control character but tabs.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
