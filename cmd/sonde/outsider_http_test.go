package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Servers of HTTP/1, on bare sockets.

// readRequest reads a request, its body by Content-Length, and counts it; false is the end of the connection.
func readRequest(c net.Conn, r *bufio.Reader) (method, path string, ok bool) {
	first, err := r.ReadString('\n')
	if err != nil {
		return "", "", false
	}
	method, path, _ = strings.Cut(strings.TrimSpace(first), " ")
	path, _, _ = strings.Cut(path, " ")
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", "", false
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if _, err := io.CopyN(io.Discard, r, int64(length)); err != nil {
		return "", "", false
	}
	c.(*outside).seen.add()
	return method, path, true
}

// replying answers each request, on whichever connection it comes, with the next of the texts, the last for ever, and
// closes after a text that ends with FIN or RST, or says nothing more after one that ends with SILENCE.
func replying(texts ...string) func(c net.Conn) {
	var answered atomic.Int64
	return func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			if _, _, ok := readRequest(c, r); !ok {
				return
			}
			if !say(c, texts[min(int(answered.Add(1)), len(texts))-1]) {
				return
			}
		}
	}
}

const (
	finEnd     = "FIN"
	rstEnd     = "RST"
	silenceEnd = "SILENCE"
)

// say says a text, and is false when the connection ends with it.
func say(c net.Conn, text string) bool {
	for _, end := range []string{finEnd, rstEnd, silenceEnd} {
		said, ends := strings.CutSuffix(text, end)
		if !ends {
			continue
		}
		io.WriteString(c, said)
		switch end {
		case rstEnd: // it comes after what was said, which is there to be read all the same
			c.(*outside).SetLinger(0)
		case silenceEnd:
			io.Copy(io.Discard, c)
		}
		return false
	}
	_, err := io.WriteString(c, text)
	return err == nil
}

// inTurn has the first connection served by the first, the second by the second, and so on, the last for ever.
func inTurn(all ...func(c net.Conn)) func(c net.Conn) {
	turns := make(chan func(c net.Conn), len(all))
	for _, f := range all {
		turns <- f
	}
	last := all[len(all)-1]
	return func(c net.Conn) {
		select {
		case f := <-turns:
			f(c)
		default:
			last(c)
		}
	}
}

// again says a text over and over.
func again(first, text string, every time.Duration) func(c net.Conn) {
	return func(c net.Conn) {
		if _, _, ok := readRequest(c, bufio.NewReader(c)); !ok {
			return
		}
		_, err := io.WriteString(c, first)
		for err == nil {
			c.(*outside).pause(every)
			_, err = io.WriteString(c, text)
		}
	}
}

func response(status int, header, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), header, body)
}

const get = `http: {url: "http://<AT>/"}`

func down(reason, stop string, attempts int, evidence, phase string) wanted {
	w := wanted{Verdict: "down", Reason: reason, Stop: stop, Attempts: attempts, Evidence: evidence, Phase: phase}
	if limit, is := strings.CutPrefix(reason, "limit_"); is {
		w.Limit = limit
	}
	if attempts > 1 {
		w.WaitSource = "backoff"
	}
	return w
}

// with adds what is known of a response.
func (s wanted) with(status int, version string) wanted {
	s.Status, s.Version = status, version
	return s
}

const (
	http11 = "HTTP/1.1"
	http20 = "HTTP/2.0"
)

func passed(verdict string, attempts int) wanted {
	w := wanted{Verdict: verdict, Stop: "success", Attempts: attempts, Evidence: "answered", Status: 200, Version: http11}
	if verdict == "flaky" {
		w.WaitSource = "backoff"
	}
	return w
}

var okFine = response(200, "", "fine")

// answerOutsiders are what can be amiss with an answer up to the end of its header.
func answerOutsiders() []outsider {
	protocol := down("protocol_error", "permanent", 1, "answered", "wait")
	gone := down("disconnected", "attempts", 2, "unanswered", "wait")
	cut := down("header_truncated", "attempts", 2, "answered", "wait")
	status := func(code int, stop string, attempts int) wanted {
		return down("status", stop, attempts, "answered", "transfer").with(code, http11)
	}
	return []outsider{
		{"all is well", replying(okFine), get, passed("up", 1), 1},
		{"closes before answering", replying(finEnd), get, gone, 2},
		{"resets before answering", replying(rstEnd), get, gone, 2},
		{"fails once", inTurn(replying(finEnd), replying(okFine)), get, passed("flaky", 2), 2},
		{"says nothing", replying(silenceEnd), get, down("limit_sock_read", "attempts", 2, "unanswered", "wait"), 2},
		{"stops in the header", replying("HTTP/1.1 200 OK\r\nA: " + silenceEnd), get, down("limit_sock_read", "attempts", 2, "answered", "wait"), 2},
		{"is slow for ever", again("", "HTTP/1.1 102 X\r\n\r\n", 100*time.Millisecond), `timeout: {total: 700ms}, ` + get, down("limit_total", "attempts", 2, "answered", "wait"), 2},
		{"closes in the status line", replying("HTTP/1." + finEnd), get, cut, 2},
		{"resets in the status line", replying("HTTP/1.1 20" + rstEnd), get, cut, 2},
		{"closes in the header", replying("HTTP/1.1 200 OK\r\nContent-Le" + finEnd), get, cut, 2},
		{"resets in the header", replying("HTTP/1.1 200 OK\r\nContent-Le" + rstEnd), get, cut, 2},
		{"is an SSH server", func(c net.Conn) { say(c, "SSH-2.0-OpenSSH_9.6\r\n"+silenceEnd) }, get, down("protocol_error", "permanent", 1, "answered", "wait"), 0},
		{"answers in HTTP/0.9", replying("<html>fine</html>" + finEnd), get, protocol, 1},
		{"has a header line without a colon", replying("HTTP/1.1 200 OK\r\nA\r\n\r\n"), get, protocol, 1},
		{"has a status of letters", replying("HTTP/1.1 abc OK\r\n\r\n"), get, protocol, 1},
		{"has two lengths", replying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy"), get, protocol, 1},
		{"has a length below zero", replying("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), get, protocol, 1},
		{"has a header over 1 MiB", replying("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 2<<20) + "\r\n\r\n"), get, protocol, 1},
		{"sends 103 without end", again("", "HTTP/1.1 103 X\r\nLink: </a>\r\n\r\n", 0), get, protocol, 1},
		{"switches protocols unasked", replying("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), get, status(101, "permanent", 1), 1},
		{"says 404", replying(response(404, "", "no")), get, status(404, "permanent", 1), 1},
		{"says 501", replying(response(501, "", "no")), get, status(501, "permanent", 1), 1},
		{"says 503", replying(response(503, "", "no")), get, status(503, "attempts", 2), 2},
		{"says 503 once", replying(response(503, "", "no"), okFine), get, passed("flaky", 2), 2},
		{"says 503, and that is expected", replying(response(503, "", "no")), `http: {url: "http://<AT>/", expect: {status: [503]}}`, passed("up", 1).with(503, http11), 1},
		{"says 599 where that may pass", replying(response(599, "", "no")), `http: {url: "http://<AT>/", retryable_status: [599]}`, status(599, "attempts", 2), 2},
		{"keeps a connection and closes it on the next request", inTurn(replying(response(503, "", ""), finEnd), replying(okFine)), get,
			wanted{Verdict: "flaky", Stop: "success", Attempts: 3, Evidence: "answered", Status: 200, Version: http11, WaitSource: "backoff"}, 3},
		{"lacks a header", replying(okFine), `http: {url: "http://<AT>/", expect: {headers: {X-Shop: open}}}`, down("assertion", "permanent", 1, "answered", "transfer").with(200, http11), 1},
		{"lacks a text", replying(okFine), `http: {url: "http://<AT>/", expect: {body: {contains: good}}}`, down("assertion", "permanent", 1, "answered", "transfer").with(200, http11), 1},
	}
}

// bodyOutsiders are what can be amiss with a body.
func bodyOutsiders() []outsider {
	const head, chunks = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	cut := down("body_truncated", "attempts", 2, "answered", "transfer").with(200, http11)
	bad := down("body_corrupt", "attempts", 2, "answered", "transfer").with(200, http11)
	return []outsider{
		{"closes in the body", replying(head + finEnd), get, cut, 2},
		{"resets in the body", replying(head + rstEnd), get, cut, 2},
		{"resets a body that would end with the connection", replying("HTTP/1.1 200 OK\r\n\r\nhello" + rstEnd), get, cut, 2},
		{"ends a body with the connection", replying("HTTP/1.1 200 OK\r\n\r\nhello" + finEnd), get, passed("up", 1), 1},
		{"closes between chunks", replying(chunks + finEnd), get, cut, 2},
		{"closes in a chunk", replying(chunks + "9\r\nhal" + finEnd), get, cut, 2},
		{"has a chunk that is none", replying(chunks + "zz\r\n" + silenceEnd), get, bad, 2},
		{"has a chunk of 2^63", replying(chunks + "8000000000000000\r\nx" + silenceEnd), get, down("limit_sock_read", "attempts", 2, "answered", "transfer").with(200, http11), 2},
		{"has a chunk length of 17 digits", replying(chunks + "10000000000000000\r\nx" + silenceEnd), get, bad, 2},
		{"says nothing in the body", replying(head + silenceEnd), get, down("limit_sock_read", "attempts", 2, "answered", "transfer").with(200, http11), 2},
		{"drips", again("HTTP/1.1 200 OK\r\n\r\n", "x", 100*time.Millisecond), `timeout: {total: 700ms}, ` + get, down("limit_total", "attempts", 2, "answered", "transfer").with(200, http11), 2},
		{"never ends", again("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 8<<10), time.Millisecond), `timeout: {total: 700ms}, ` + get, down("limit_total", "attempts", 2, "answered", "transfer").with(200, http11), 2},
		{"has a body that is too long to match", again("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 8<<10), 0), `http: {url: "http://<AT>/", expect: {body: {contains: fine}, max_body: 100KiB}}`,
			down("assertion", "permanent", 1, "answered", "transfer").with(200, http11), 1},
		{"cuts the body of a wrong status", replying("HTTP/1.1 404 X\r\nContent-Length: 10\r\n\r\nhello" + finEnd), get, down("status", "permanent", 1, "answered", "transfer").with(404, http11), 1},
	}
}
