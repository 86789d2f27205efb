package conn

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"testing"
)

// renders holds a request that we render against what package http makes of it.
func renders(t *testing.T, req *http.Request) (did bool) {
	t.Helper()
	var ours, gos bytes.Buffer
	if did = render(&ours, req); !did {
		if ours.Len() > 0 {
			t.Errorf("wrote %q and gave up", ours.String())
		}
		return false
	}
	if err := req.Write(&gos); err != nil || ours.String() != gos.String() {
		t.Errorf("got\n%q, want\n%q, %v", ours.String(), gos.String(), err)
	}
	return true
}

func TestRender(t *testing.T) {
	t.Parallel()
	many := http.Header{}
	for i := range 20 {
		many.Set("A"+strconv.Itoa(i), "b")
	}
	for _, row := range []struct {
		name   string
		method string
		url    string
		host   string
		header http.Header
		close  bool
		does   bool
	}{
		{"the least", "GET", "http://192.0.2.1", "", nil, false, true},
		{"a query", "GET", "http://host.example:8080/a/b%20c?x=1&y=%2f#z", "", http.Header{}, false, true},
		{"fields", "HEAD", "https://host.example/", "", http.Header{"B": {"2", " 3\t"}, "A": {""}, "User-Agent": {"sonde/1"}, "Host": {"x"}}, false, true},
		{"no agent", "GET", "http://host.example/", "", http.Header{"User-Agent": {""}}, false, true},
		{"no agent at all", "GET", "http://host.example/", "", http.Header{"User-Agent": nil}, false, true},
		{"a host", "GET", "http://host.example/", "other.example", nil, false, true},
		{"IPv6", "GET", "http://[2001:db8::1]:80/", "", nil, false, true},
		{"closes", "DELETE", "http://host.example/", "", http.Header{"Accept": {"*/*"}}, true, true},
		{"POST of nothing", "POST", "http://host.example/", "", http.Header{"Content-Length": {"5"}, "Transfer-Encoding": {"chunked"}}, false, true},
		{"a method of its own", "brew", "http://host.example/", "", nil, false, true},
		{"keeps", "GET", "http://host.example/", "", http.Header{"Connection": {"keep-alive"}}, false, true},
		{"closes and says so", "GET", "http://host.example/", "", http.Header{"Connection": {"Close"}}, true, false},
		{"no method", "", "http://host.example/", "", nil, false, false},
		{"CONNECT", "CONNECT", "http://host.example/", "", nil, false, false},
		{"a zone", "GET", "http://[fe80::1%25eth0]/", "", nil, false, false},
		{"a name abroad", "GET", "http://b\u00fccher.example/", "", nil, false, false},
		{"a bad host", "GET", "http://host.example/", "a b", nil, false, false},
		{"many fields", "GET", "http://host.example/", "", many, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(row.url)
			if err != nil {
				t.Fatal(err)
			}
			req := &http.Request{Method: row.method, URL: u, Host: row.host, Header: row.header, Close: row.close}
			if renders(t, req) != row.does {
				t.Errorf("rendered %v, want %v", !row.does, row.does)
			}
		})
	}
}

// FuzzRender is TestRender with arbitrary requests.
func FuzzRender(f *testing.F) {
	f.Add("GET", "http://host.example/a?b=c", "", "Accept", "*/*", false)
	f.Add("POST", "https://[::1]:443", "x", "Connection", "close", true)
	f.Fuzz(func(t *testing.T, method, text, host, name, value string, closes bool) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		req := &http.Request{Method: method, URL: u, Host: host, Header: http.Header{name: {value}, "B": {value}}, Close: closes}
		if sendable(req) == nil {
			renders(t, req)
		}
	})
}
