package conn

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// response is an answer whose header is as most are, in one piece of memory: http.ReadResponse needs ten.
type response struct {
	http.Response
	body   body
	sized  sized
	values [8]string // of the first fields
	count  int       // of fields
	length int64     // of Content-Length; -1 without one
	linked bool      // there is a Connection
}

// readResponse makes of a header just what http.ReadResponse does, only sooner. It is nil, and has read nothing, of what
// is out of the ordinary: what has not come whole, has a line that does not end in CR LF, or says of the body's
// framing anything but its length.
func readResponse(in *bufio.Reader, req *http.Request) *response {
	come, _ := in.Peek(in.Buffered())
	end := bytes.Index(come, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	h := &response{length: -1}
	if !h.parse(string(come[:end+2])) || !h.frame(in, req) {
		return nil
	}
	in.Discard(end + 4)
	return h
}

// parse is false of a text out of the ordinary, or none of a header at all.
func (h *response) parse(text string) bool {
	line, rest, ok := cutLine(text)
	if !ok || !h.status(line) {
		return false
	}
	h.Header = make(http.Header, strings.Count(rest, "\n"))
	for rest != "" {
		line, rest, ok = cutLine(rest)
		if !ok || !h.field(line) {
			return false
		}
	}
	return true
}

// cutLine is the first line and what follows it; false when it does not end in CR LF.
func cutLine(text string) (line, rest string, ok bool) {
	i := strings.IndexByte(text, '\n')
	if i < 1 || text[i-1] != '\r' {
		return "", "", false
	}
	return text[:i-1], text[i+1:], true
}

// status reads the status line. Those of status 1xx are not an answer yet.
func (h *response) status(line string) bool {
	const proto = "HTTP/1.1"
	text, ok := strings.CutPrefix(line, proto+" ")
	if !ok || len(text) < 3 || len(text) > 3 && text[3] != ' ' || text[0] < '2' || text[0] > '9' {
		return false
	}
	code, err := strconv.Atoi(text[:3])
	h.Proto, h.ProtoMajor, h.ProtoMinor, h.Status, h.StatusCode = proto, 1, 1, text, code
	return err == nil
}

// field reads a line of the header.
func (h *response) field(line string) bool {
	name, value, ok := strings.Cut(line, ":")
	if !ok || !isFieldValue(value) {
		return false
	}
	value = textproto.TrimString(value)
	if !isUsual(name) {
		if !isToken(name) {
			return false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
	}
	switch name {
	case "Transfer-Encoding", "Trailer", "Pragma":
		return false
	case "Content-Length":
		return h.size(value) && h.add(name, value)
	case "Connection":
		return h.connection(value)
	}
	return h.add(name, value)
}

// isUsual is true of names that nearly every answer has, written as they are kept.
func isUsual(name string) bool {
	switch name {
	case "Date", "Content-Type", "Content-Length", "Server", "Connection", "Cache-Control", "Etag", "Expires", "Last-Modified", "Vary":
		return true
	}
	return false
}

func (h *response) add(name, value string) bool {
	at := h.count
	h.count++
	if have := h.Header[name]; have != nil || at >= len(h.values) {
		h.Header[name] = append(have, value)
		return true
	}
	h.values[at] = value
	h.Header[name] = h.values[at : at+1 : at+1]
	return true
}

// size reads the one Content-Length.
func (h *response) size(value string) bool {
	n, err := strconv.ParseUint(value, 10, 62)
	if err != nil || h.length >= 0 {
		return false
	}
	h.length = int64(n)
	return true
}

// connection reads the one Connection. Of one that closes http.ReadResponse leaves nothing in the header.
func (h *response) connection(value string) bool {
	if h.linked {
		return false
	}
	h.linked = true
	if strings.EqualFold(value, "close") {
		h.Close = true
		return true
	}
	return strings.EqualFold(value, "keep-alive") && h.add("Connection", value)
}

// frame says where the body ends. It is false where that is the end of the connection.
func (h *response) frame(in *bufio.Reader, req *http.Request) bool {
	h.Request, h.ContentLength = req, h.length
	switch {
	case req.Method == http.MethodHead:
		h.Body = http.NoBody
	case h.StatusCode == http.StatusNoContent, h.StatusCode == http.StatusNotModified:
		h.Body, h.ContentLength = http.NoBody, 0
	case h.length == 0:
		h.Body = http.NoBody
	default:
		h.sized = sized{in, h.length}
		h.Body = &h.sized
	}
	return h.length >= 0 || h.Body == http.NoBody
}

// sized is a body of so many bytes.
type sized struct {
	in   *bufio.Reader
	left int64
}

// Read reads. The end comes with the last byte.
func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	switch {
	case s.left == 0:
		err = io.EOF
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close does nothing: who has the connection ends it.
func (*sized) Close() error { return nil }

// waits is true when bytes of the body have yet to come.
func (s *sized) waits() bool { return s.left > 0 && s.in.Buffered() == 0 }
