package kinds

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// TestBodiesShareTheirRoom: one body may be greater than all the room; another finds none meanwhile and fails for a
// reason that is ours, and a small one passes all the same.
func TestBodiesShareTheirRoom(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		h := w.house()
		h.room.size = 40 << 10
		w.serve(here, func(c *memnet.Conn, r *bufio.Reader) { w.sizes(c, r) })
		ask := func(path string) probe.Attempt {
			s := newHTTP(h).(*HTTP)
			s.URL, s.Expect.Body.NotContains = "http://"+here+path, Texts{"sold out"}
			return w.try(s)
		}
		great := make(chan probe.Attempt)
		go func() { great <- ask("/102400/5s") }()
		synctest.Wait()
		if a := ask("/102400/0s"); a.Reason != probe.ReasonLocalResource || !a.Transient || !strings.Contains(a.Err.Error(), "no room") || a.HTTP.BodyHead == "" {
			t.Errorf("a second great body: ok %t, %s: %v, want %s", a.OK, a.Reason, a.Err, probe.ReasonLocalResource)
		}
		if a := ask("/16000/0s"); !a.OK {
			t.Errorf("a small body beside a great one: %v", a.Err)
		}
		if a := <-great; !a.OK || a.HTTP.BodyBytes != 102400 {
			t.Errorf("the first great body: %v after %d bytes", a.Err, a.HTTP.BodyBytes)
		}
		if a := ask("/102400/0s"); !a.OK || h.room.taken != 0 || h.room.over != nil {
			t.Errorf("after all of them: %v, and %d bytes are taken, want none", a.Err, h.room.taken)
		}
	})
}

// sizes answers a request for /N/D with a body of N bytes, after whose first half it waits for D.
func (w *world) sizes(c io.Writer, r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		var size int
		var pause string
		if n, _ := fmt.Sscanf(line, "GET /%d/%s", &size, &pause); n != 2 {
			continue // another line of the header
		}
		wait, _ := time.ParseDuration(pause)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
		half := bytes.Repeat([]byte("x"), size/2)
		c.Write(half)
		w.pause(wait)
		c.Write(half)
	}
}

// TestRoomIsCounted gathers bodies of all sizes, in turns and side by side: what is taken is what buffers hold
// beyond what is free, and all of it is given back.
func TestRoomIsCounted(t *testing.T) {
	r := &room{size: 1 << 20}
	var held []*gathered
	for i, size := range []int{0, 1, 4096, freeBody, freeBody + 1, 100_000, 300_000, 100_000, 5000} {
		g := r.gather()
		held = append(held, g)
		if err := r.read(g, bytes.NewReader(make([]byte, size)), 400_000); err != nil || len(g.data) != size {
			t.Fatalf("body %d: %v after %d bytes, want all %d", i, err, len(g.data), size)
		}
		sum := 0
		for _, g := range held {
			sum += max(0, cap(g.data)-freeBody)
		}
		if r.taken != sum {
			t.Errorf("after %d bytes %d are taken, want %d", size, r.taken, sum)
		}
	}
	g := r.gather()
	if err := r.read(g, endless{}, 400_000); err != nil || len(g.data) != 400_000 {
		t.Errorf("an endless body: %v after %d bytes, want 400000", err, len(g.data))
	}
	if err := r.read(r.gather(), endless{}, 2_000_000); err != nil {
		t.Errorf("the one that may go beyond: %v", err)
	}
	last := r.gather()
	if err := r.read(last, endless{}, 2_000_000); !errors.Is(err, noRoom) {
		t.Errorf("another one: %v, want that there is no room", err)
	}
	r.release(last)
	for _, g := range append(held, g) {
		r.release(g)
	}
	if r.taken != r.over.taken {
		t.Errorf("%d bytes are taken, want the %d of the one that is left", r.taken, r.over.taken)
	}
}

// A small body that is lent a great buffer does not take the place of the one body that may go beyond the room.
func TestALentBufferDoesNotGoBeyondTheRoom(t *testing.T) {
	t.Parallel()
	r := &room{size: 100_000}
	r.buffers.New = func() any { return &gathered{data: make([]byte, 0, 80_000)} }
	fills, small := r.gather(), r.gather()
	if err := r.read(small, strings.NewReader("hello"), 1000); err != nil || string(small.data) != "hello" {
		t.Errorf("the small body: %v after %q", err, small.data)
	}
	if err := r.read(fills, endless{}, 300_000); err != nil || r.over != fills {
		t.Errorf("a great body beside a small one: %v, want it to go beyond", err)
	}
	r.release(small)
	r.release(fills)
	if r.taken != 0 {
		t.Errorf("%d bytes are taken, want none", r.taken)
	}
}

// endless never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
