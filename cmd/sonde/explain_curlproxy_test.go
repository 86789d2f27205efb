package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// curlProxyFile has every way in which a request goes through a proxy, and past one.
const curlProxyFile = `
  - {name: carried, http: {url: "http://carried.example/carried?a=1", proxy: "PLAINPROXY"}}
  - {name: carriedpost, http: {url: "http://carried.example:81/carriedpost", method: POST, body: b, proxy: "PLAINPROXY"}}
  - name: carriedwith
    http:
      url: "http://carried.example/carriedwith"
      headers: {X-Both: target, User-Agent: me}
      proxy: {url: "PLAINUSER", headers: {X-Line: "it's ${CURL_PLAIN}", X-Both: proxy, X-Empty: "", user-agent: proxy}}
  - {name: tunnel, http: {url: "TLS/tunnel", tls: {ca_file: ca.pem}, proxy: {url: "PLAINPROXY", headers: {Proxy-Authorization: "Bearer ${file:secret}"}}}}
  - {name: tunnelmute, http: {url: "TLS/tunnelmute", headers: {User-Agent: ""}, tls: {insecure_skip_verify: true}, proxy: "PLAINUSER"}}
  - {name: tunnelclear, http: {url: "PLAIN/tunnelclear", version: h2c, proxy: {url: "PLAINPROXY", headers: {X-Line: a}}}}
  - {name: tunnelnamed, http: {url: "TLS/tunnelnamed", tls: {ca_file: ca.pem, server_name: example.com}, proxy: "PLAINPROXY"}}
  - {name: secureproxy, http: {url: "http://carried.example/secureproxy", tls: {ca_file: ca.pem}, proxy: "TLSPROXY"}}
  - {name: lax, http: {url: "TLS/lax", tls: {insecure_skip_verify: true}, proxy: "TLSPROXY"}}
  - {name: past, http: {url: "PLAIN/past", proxy: {url: "http://127.0.0.1:2", no_proxy: [a.example, 127.0.0.0/8]}}}
  - {name: pastnamed, http: {url: "TLS/pastnamed", tls: {ca_file: ca.pem, server_name: example.com}, proxy: {url: "http://127.0.0.1:2", no_proxy: 127.0.0.1}}}
  - {name: pastonce, http: {url: "PLAIN/pastonce", redirects: none, proxy: {url: "http://127.0.0.1:2", no_proxy: "*"}}}
  - {name: pastport, http: {url: "PLAIN/pastport/302-to-x", proxy: {url: "http://127.0.0.1:2", no_proxy: HOSTPORT}}}
  - {name: notpast, http: {url: "http://carried.example/notpast", proxy: {url: "PLAINPROXY", no_proxy: [.carried.example, "carried.example:81", other.example]}}}
  - {name: environ, http: {url: "http://environ.example/environ", proxy: {url: environment, headers: {X-Line: b}}}}
  - {name: environpast, http: {url: "http://past.example/environpast", proxy: {url: "PLAINPROXY"}}}
  - {name: environlocal, http: {url: "PLAIN/environlocal", proxy: environment}}
`

// curlProxies are two proxies on loopback, the second one spoken to by TLS, and the environment names the first
// for all URLs but one. Whoever asks them for a tunnel is noted and led on; other requests they answer by
// themselves.
func curlProxies(t *testing.T, r *recorder) (plain, secure string) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodConnect {
			r.ServeHTTP(w, q)
			return
		}
		r.note("CONNECT", fmt.Sprintf("CONNECT %s %s tls=%t\n%v", q.RequestURI, q.Proto, q.TLS != nil, q.Header))
		bridge(w, q.RequestURI)
	})
	one, two := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(one.Close)
	t.Cleanup(two.Close)
	t.Setenv("http_proxy", one.URL)
	t.Setenv("no_proxy", "past.example")
	return one.URL, two.URL
}

// bridge leads a client to an address until one of the two ends.
func bridge(w http.ResponseWriter, address string) {
	target, err := net.Dial("tcp", address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer target.Close()
	client, rest, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		defer target.Close()
		io.Copy(target, rest)
	}()
	io.Copy(client, target)
}

// withUser is a URL with a user and a password that are filled in.
func withUser(url string) string {
	return strings.Replace(url, "://", "://${CURL_PLAIN}:${CURL_PLAIN}@", 1)
}
