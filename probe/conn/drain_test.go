package conn_test

import (
	"bufio"
	"io"
	"testing"
	"time"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestDrainThatEndsInTheNick has the rest of a body come at the very moment at which it is no longer waited for.
// Either it came in time and the connection is kept, or it did not and the connection goes: what goes is never
// given to the next attempt.
func TestDrainThatEndsInTheNick(t *testing.T) {
	const drainTime = 50 * time.Millisecond
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			for {
				if _, err := request(r); err != nil {
					return
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")
				time.Sleep(drainTime)
				io.WriteString(c, "o")
			}
		})
		r := route()
		for i := range 300 {
			c := w.Start(w.t.Context(), standard)
			resp, err := c.RoundTrip(r, newRequest("GET", address), false)
			if err == nil {
				resp.Body.Close()
			}
			if a := c.End(err); !a.OK {
				t.Fatalf("request %d: %s: %v", i+1, a.Reason, a.Err)
			}
		}
	})
}
