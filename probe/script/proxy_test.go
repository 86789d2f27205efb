package script_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"sonde/probe/conn/memnet"
)

// proxy is a connection to a proxy: its answer to CONNECT, and the port where the tunnel leads; empty when
// there is none. A request of an http URL is left to be read, as on port 80.
func (w *world) proxy(c *memnet.Conn, r *bufio.Reader) (port string) {
	if begin, _ := r.Peek(len("CONNECT ")); string(begin) != "CONNECT " {
		return "80"
	}
	req, err := http.ReadRequest(r)
	if err != nil {
		return ""
	}
	s := w.step()
	switch {
	case w.sleep(context.Background(), s.Delay.Proxy) != nil, w.broken(s, "proxy", c, c):
	case s.Proxy != 0:
		fmt.Fprintf(c, "HTTP/1.1 %d X\r\n", s.Proxy)
		for name, values := range s.Headers {
			fmt.Fprintf(c, "%s: %s\r\n", name, values[0])
		}
		io.WriteString(c, "\r\n")
		io.Copy(io.Discard, c)
	default:
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		_, port, _ = net.SplitHostPort(req.Host)
	}
	return port
}
