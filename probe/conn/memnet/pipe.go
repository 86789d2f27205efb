package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Buffer is how many bytes one direction of a connection holds before a writer has to wait.
const Buffer = 64 << 10

// Conn is one end of a connection.
type Conn struct {
	in, out       *half
	local, remote addr
}

// Pipe makes a connection between two addresses.
func Pipe(a, b string) (*Conn, *Conn) {
	x, y := newHalf(), newHalf()
	return &Conn{in: x, out: y, local: addr(a), remote: addr(b)}, &Conn{in: y, out: x, local: addr(b), remote: addr(a)}
}

// Read reads what the other end has written; io.EOF after it has closed.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write writes, and waits while the buffer is full.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close closes both directions. The other end reads what is left, then io.EOF; its writes fail. A read that goes
// on here ends first: what the other end does when it hears of the close comes too late for it.
func (c *Conn) Close() error {
	c.in.abandon()
	c.out.finish(nil)
	return nil
}

// CloseWrite ends this end's writing, as a FIN does.
func (c *Conn) CloseWrite() error {
	c.out.finish(nil)
	return nil
}

// Abort ends the connection as a reset does: the other end's reads and writes fail at once, and what is
// in the buffers is lost.
func (c *Conn) Abort() {
	c.out.finish(syscall.ECONNRESET)
	c.in.abandon()
	c.in.finish(syscall.ECONNRESET)
}

// TryRead reads what there is, without waiting: nothing, and no error, when there is nothing.
func (c *Conn) TryRead(p []byte) (int, error) {
	c.in.mu.Lock()
	nothing := len(c.in.buf) == 0 && c.in.err == nil && !c.in.finished && !c.in.abandoned
	c.in.mu.Unlock()
	if nothing {
		return 0, nil
	}
	return c.in.read(p)
}

// Buffered is how many bytes wait to be read.
func (c *Conn) Buffered() int {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	return len(c.in.buf)
}

// LocalAddr is this end's address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the other end's address.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.readDeadline.set(c.in, t)
	c.out.writeDeadline.set(c.out, t)
	return nil
}

// SetReadDeadline sets when reads fail with os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.readDeadline.set(c.in, t)
	return nil
}

// SetWriteDeadline sets when writes fail with os.ErrDeadlineExceeded.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.writeDeadline.set(c.out, t)
	return nil
}

// half is one direction.
type half struct {
	mu            sync.Mutex
	change        sync.Cond
	buf           []byte
	finished      bool  // the writer has closed
	err           error // with a reset
	abandoned     bool  // the reader has closed
	readDeadline  deadline
	writeDeadline deadline
}

func newHalf() *half {
	h := &half{}
	h.change.L = &h.mu
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.abandoned:
			return 0, net.ErrClosed
		case h.err != nil:
			return 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", h.err)}
		case h.readDeadline.passed:
			return 0, os.ErrDeadlineExceeded
		case len(h.buf) > 0:
			n := copy(p, h.buf)
			h.buf = h.buf[n:]
			h.change.Broadcast()
			return n, nil
		case h.finished:
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		h.change.Wait()
	}
}

func (h *half) write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := 0; ; {
		switch {
		case h.finished && h.err == nil:
			return n, net.ErrClosed
		case h.err != nil:
			return n, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", h.err)}
		case h.abandoned:
			return n, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
		case h.writeDeadline.passed:
			return n, os.ErrDeadlineExceeded
		}
		k := min(len(p)-n, Buffer-len(h.buf))
		h.buf = append(h.buf, p[n:n+k]...)
		n += k
		h.change.Broadcast()
		if n == len(p) {
			return n, nil
		}
		h.change.Wait()
	}
}

// finish ends the writing; with an error it does so as a reset does.
func (h *half) finish(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.finished {
		h.finished = true
	}
	if err != nil && h.err == nil {
		h.err, h.buf = err, nil
	}
	h.change.Broadcast()
}

// abandon ends the reading.
func (h *half) abandon() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.abandoned, h.buf = true, nil
	h.change.Broadcast()
}

// deadline is a deadline of a half; the half's lock guards it.
type deadline struct {
	timer  *time.Timer
	passed bool
}

func (d *deadline) set(h *half, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.passed = !t.IsZero() && !t.After(time.Now())
	if !t.IsZero() && !d.passed {
		var own *time.Timer
		own = time.AfterFunc(time.Until(t), func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if d.timer == own {
				d.passed = true
				h.change.Broadcast()
			}
		})
		d.timer = own
	}
	h.change.Broadcast()
}

// Closed reports whether the other end reads no more.
func (c *Conn) Closed() bool {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	return c.out.abandoned || c.out.finished
}
