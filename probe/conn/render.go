package conn

import (
	"bytes"
	"cmp"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
)

// render writes a request without a body just as its own Write does, only sooner. It is false, and has
// written nothing, of what is out of the ordinary.
func render(w *bytes.Buffer, req *http.Request) bool {
	host, path, query := cmp.Or(req.Host, req.URL.Host), pathOf(req.URL), req.URL.RawQuery
	var space [16]string
	names, ok := fieldNames(space[:0], req)
	if !ok || !ordinary(req) || host == "" || !inHosts.hold(host) || !inTargets.hold(path) || !inTargets.hold(query) {
		return false
	}
	writeAll(w, req.Method, " ", path)
	if req.URL.ForceQuery || query != "" {
		writeAll(w, "?", query)
	}
	writeAll(w, " HTTP/1.1\r\nHost: ", host, "\r\n")
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

// What hosts and targets are made of that are in the ordinary, and paths that need no escapes.
var (
	inHosts   = bytesOf(".-:[]_")
	inTargets = bytesOf("/?&=%.-_~+,:;!$'()*@")
	inPaths   = bytesOf("/&=.-_~+,:;$@")
)

// pathOf is the path as it is asked for.
func pathOf(u *url.URL) string {
	if u.RawPath == "" && inPaths.hold(u.Path) {
		return cmp.Or(u.Path, "/")
	}
	return u.EscapedPath()
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

// byteSet is a set of bytes.
type byteSet [256]bool

// bytesOf are letters, digits and the marks that are given.
func bytesOf(marks string) *byteSet {
	var set byteSet
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + marks) {
		set[c] = true
	}
	return &set
}

// hold is true of a text of nothing but these bytes.
func (b *byteSet) hold(s string) bool {
	for i := range len(s) {
		if !b[s[i]] {
			return false
		}
	}
	return true
}
