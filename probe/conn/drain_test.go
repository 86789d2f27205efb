package conn_test

import (
	"bufio"
	"io"
	"testing"
	"time"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestDrainedInTheNickOfTime has the rest of a body come just when it has been waited for long enough: either the
// connection is kept, and then it is whole, or it is not. It is never taken from under the next attempt.
func TestDrainedInTheNickOfTime(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) { // its clock lets both happen at one instant
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			for {
				if _, err := request(r); err != nil {
					return
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")
				time.Sleep(50 * time.Millisecond)
				io.WriteString(c, "o")
			}
		})
		for i := range 2000 {
			c := w.Start(w.t.Context(), standard)
			resp, err := c.RoundTrip(route(), newRequest("GET", address), false)
			if err != nil {
				a := c.End(err)
				w.t.Errorf("attempt %d: %s: %v", i, a.Reason, a.Err)
				return
			}
			resp.Body.Close()
			c.End(nil)
		}
	})
}
