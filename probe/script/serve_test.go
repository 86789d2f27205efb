package script_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"sonde/probe/conn/memnet"
	"sonde/probe/script"
)

// http1 serves one request as the script says, and says whether the connection goes on.
func (w *world) http1(c *memnet.Conn, stream net.Conn, r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, req.Body)
	w.asked()
	s, next := w.step(), w.following()
	if w.sleep(context.Background(), s.Delay.Header) != nil {
		return false
	}
	switch {
	case s.Stale:
		c.CloseWrite()
		return false
	case s.NotHTTP != "":
		io.WriteString(stream, s.NotHTTP)
		c.CloseWrite()
		io.Copy(io.Discard, c)
		return false
	case w.broken(s, "header", c, stream):
		return false
	}
	if s.Reset == "mid_header" || s.Cut == "mid_header" || s.Hang == "mid_header" {
		io.WriteString(stream, "HTTP/1.1 200 OK\r\nX-Cut: he")
		return w.broken(s, "mid_header", c, stream)
	}
	stream.Write(head(s))
	if status(s) == 101 {
		io.Copy(io.Discard, c)
		return false
	}
	if req.Method != "HEAD" && !w.pieces(context.Background(), s, func(p []byte) bool { _, err := stream.Write(p); return err == nil }) {
		return false
	}
	if req.Method != "HEAD" && (w.broken(s, "body", c, stream) || s.Unannounced) {
		return false
	}
	if connects(next) {
		w.closeAll()
	}
	return !connects(next) && !slices.Contains(s.Headers["Connection"], "close")
}

// closeAll ends every connection, as an endpoint does that goes away.
func (w *world) closeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

// following is the step that comes after the one that goes on.
func (w *world) following() *script.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	steps := w.test.Script[max(0, min(w.attempt, len(w.test.Script)-1))]
	if w.attempt >= 0 && w.hop < len(steps) {
		return w.stepAt(w.attempt, w.hop+1)
	}
	return w.stepAt(w.attempt+1, 1)
}

// connects is true of a step before which the endpoint has closed what is kept.
func connects(s *script.Step) bool {
	early := []string{"queue", "resolve", "connect", "proxy", "tls"}
	return s.DNS != "" || s.Connect != "" || s.Proxy != 0 || s.TLS != "" || s.Delay.Resolve+s.Delay.Connect+s.Delay.Proxy+s.Delay.TLS > 0 ||
		slices.Contains(early, string(s.Hang)) || slices.Contains(early, string(s.Reset)) || slices.Contains(early, string(s.Cut))
}

func status(s *script.Step) int {
	if s.Status == 0 {
		return 200
	}
	return s.Status
}

func text(p script.Piece) []byte { return bytes.Repeat([]byte(p.Text), max(1, p.Repeat)) }

// length is what is announced: of a body that breaks off a byte more than comes.
func length(s *script.Step) int {
	n := 0
	for _, p := range s.Body {
		n += len(text(p))
	}
	if breaksOff(s) {
		n++
	}
	return n
}

func breaksOff(s *script.Step) bool { return s.Reset == "body" || s.Cut == "body" || s.Hang == "body" }

func head(s *script.Step) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status(s), http.StatusText(status(s)))
	for name, values := range s.Headers {
		for _, v := range values {
			fmt.Fprintf(&b, "%s: %s\r\n", name, v)
		}
	}
	if code := status(s); code == 101 {
		b.WriteString("Connection: upgrade\r\nUpgrade: other\r\n")
	} else if code != 204 && code != 304 && !s.Unannounced {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", length(s))
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// pieces sends the body.
func (w *world) pieces(ctx context.Context, s *script.Step, send func(p []byte) bool) bool {
	body := s.Body
	for !s.Unannounced && !breaksOff(s) && len(body) > 0 && len(text(body[len(body)-1])) == 0 {
		body = body[:len(body)-1]
	}
	for _, p := range body {
		if w.sleep(ctx, p.Delay) != nil || len(text(p)) > 0 && !send(text(p)) {
			return false
		}
	}
	return true
}

// talk plays the moves of a tcp endpoint.
func (w *world) talk(c *memnet.Conn, stream net.Conn) {
	s := w.step()
	heard := ""
	for _, m := range s.Talk {
		for m.Hear != "" && !strings.Contains(heard, m.Hear) {
			p := make([]byte, 1024)
			n, err := stream.Read(p)
			if err != nil {
				return
			}
			heard += string(p[:n])
		}
		if m.Hear != "" {
			_, heard, _ = strings.Cut(heard, m.Hear)
			continue
		}
		if w.sleep(context.Background(), m.Delay) != nil {
			return
		}
		io.WriteString(stream, m.Say)
	}
	if !w.broken(s, "talk", c, stream) {
		io.Copy(io.Discard, c)
	}
}
