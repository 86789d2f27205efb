package conn

import (
	"bytes"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// render writes a request without a body just as its own Write does, only sooner. It is false, and has
// written nothing, of what is out of the ordinary.
func render(w *bytes.Buffer, req *http.Request) bool {
	host, target := req.Host, req.URL.RequestURI()
	if host == "" {
		host = req.URL.Host
	}
	var space [16]string
	names, ok := fieldNames(space[:0], req)
	if !ok || !ordinary(req) || !isPlain(host, ".-:[]_") || !isPlain(target, "/?&=%.-_~+,:;!$'()*@") {
		return false
	}
	writeAll(w, req.Method, " ", target, " HTTP/1.1\r\nHost: ", host, "\r\n")
	if agent := userAgent(req.Header); agent != "" {
		writeAll(w, "User-Agent: ", agent, "\r\n")
	}
	if req.Close {
		writeAll(w, "Connection: close\r\n")
	}
	if lengthIsSaid(req.Method) {
		writeAll(w, "Content-Length: 0\r\n")
	}
	for _, name := range names {
		for _, v := range req.Header[name] {
			writeAll(w, name, ": ", textproto.TrimString(v), "\r\n")
		}
	}
	writeAll(w, "\r\n")
	return true
}

func writeAll(w *bytes.Buffer, texts ...string) {
	for _, t := range texts {
		w.WriteString(t)
	}
}

// ordinary is true of a request that has no body, and leaves its framing to us.
func ordinary(req *http.Request) bool {
	return !hasBody(req) && req.ContentLength == 0 && req.Method != "" && req.Method != http.MethodConnect &&
		req.URL.Opaque == "" && len(req.TransferEncoding) == 0 && len(req.Trailer) == 0
}

// fieldNames are the names of the fields that come after those which are a request's own, in their order; false
// when there are too many, or one that bears on ours.
func fieldNames(names []string, req *http.Request) ([]string, bool) {
	for name := range req.Header {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		case "Connection":
			if req.Close {
				return nil, false
			}
		}
		if len(names) == cap(names) {
			return nil, false
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, true
}

// userAgent is the field's value; one that is there and empty is not sent.
func userAgent(h http.Header) string {
	values, set := h["User-Agent"]
	switch {
	case !set:
		return "Go-http-client/1.1"
	case len(values) == 0:
		return ""
	}
	return textproto.TrimString(values[0])
}

// lengthIsSaid is true of methods with which servers want to hear that there is no body.
func lengthIsSaid(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// isPlain is true of letters, digits and the marks that are given.
func isPlain(s, marks string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(marks, c) >= 0) {
			return false
		}
	}
	return s != ""
}
