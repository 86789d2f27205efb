package script

import (
	"fmt"
	"io"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// body is the body of a response.
type body struct {
	call   *call
	link   *connection
	pieces []Piece
	length int64 // as announced, -1 where it is not
	got    int64 // bytes that were read
	at     int   // bytes of the first piece that were read
	begun  bool  // its pause has begun
	paused bool  // its pause goes on, or was cut
	keep   bool  // the connection can be kept once the body was read to its end
	done   bool
}

// Read reads what of a piece has come, and waits where a pause is before it.
func (b *body) Read(p []byte) (int, error) {
	if b.done || len(p) == 0 {
		return 0, io.EOF
	}
	c := b.call
	c.run(sockRead)
	defer c.rest(sockRead)
	for {
		if err := c.ended(); err != nil {
			return 0, err
		}
		if len(b.pieces) == 0 {
			return 0, b.finish()
		}
		if err := b.pause(); err != nil {
			return 0, err
		}
		if n := b.copy(p); n > 0 {
			b.got += int64(n)
			return n, nil
		}
	}
}

// pause is the pause before a piece.
func (b *body) pause() error {
	if b.begun {
		return nil
	}
	b.begun, b.paused = true, true
	err := b.call.wait(time.Duration(b.pieces[0].Delay))
	b.paused = err != nil
	return err
}

// copy copies what is left of a piece.
func (b *body) copy(p []byte) int {
	n, piece := 0, &b.pieces[0]
	size := len(piece.Text) * piece.times()
	for n < len(p) && b.at < size {
		k := copy(p[n:], piece.Text[b.at%len(piece.Text):])
		b.at += k
		n += k
	}
	if b.at == size {
		b.pieces, b.at, b.begun = b.pieces[1:], 0, false
	}
	return n
}

// finish is how the body ends.
func (b *body) finish() error {
	c := b.call
	if c.step.Hang == atBody {
		return c.hang()
	}
	if err, is := c.step.broken(atBody); is && !(err == io.EOF && c.step.Unannounced) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return c.fail(probe.ReasonBodyTruncated, tell(err, "the body was cut %s", b.progress()))
	}
	b.leave(true)
	return io.EOF
}

// Close reads what little may be left, so that the connection can be kept.
func (b *body) Close() error {
	b.end(true)
	return nil
}

// end closes the body; drain says whether it may be worth reading on.
func (b *body) end(drain bool) {
	if !b.done {
		b.leave(drain && b.call.fault == nil && b.call.ended() == nil && b.call.link.key.connection.Reuse && b.drain())
	}
}

// drain reads to the end, and is false when that is too far away.
func (b *body) drain() bool {
	c := b.call
	end := c.net.clock.after(conn.DrainTime)
	for left := conn.DrainBytes; len(b.pieces) > 0; {
		p := &b.pieces[0]
		d := time.Duration(p.Delay)
		if b.begun {
			d = 0
		}
		if c.net.clock.after(d) >= end {
			c.wait(end - c.net.clock.now)
			return false
		}
		if c.wait(d) != nil {
			return false
		}
		if left -= len(p.Text)*p.times() - b.at; left < 0 {
			return false
		}
		b.pieces, b.at, b.begun = b.pieces[1:], 0, false
	}
	if c.step.Hang == atBody {
		c.wait(end - c.net.clock.now)
	}
	return !c.step.breaksOff()
}

// leave gives the connection back; whole says whether the body was read to its end.
func (b *body) leave(whole bool) {
	if b.done {
		return
	}
	b.done = true
	b.call.rest(sockRead)
	_, breaks := b.call.step.broken(atBody)
	if whole && b.keep || b.link.h2 && !(breaks && b.over()) {
		b.call.net.keep(b.link)
	}
}

// progress is how much of the body has come, in conn's words.
func (b *body) progress() string {
	if b.length > 0 {
		return fmt.Sprintf("after %d of %d bytes", b.got, b.length)
	}
	return fmt.Sprintf("after %d bytes", b.got)
}

// over is true when the endpoint has nothing more to wait for before the end of the body.
func (b *body) over() bool {
	for i := range b.pieces {
		if b.pieces[i].Delay > 0 && !(i == 0 && b.begun && !b.paused) {
			return false
		}
	}
	return true
}
