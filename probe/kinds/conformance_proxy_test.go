package kinds_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/kinds"
)

// proxyRows are of probes that go through a proxy, which is the site at there. None of them is of the table.
var proxyRows = []row{
	{id: "proxy refused", server: []turn{ok}, second: []turn{refused, dialing(syscall.EHOSTUNREACH), ok}, with: changes(proxied),
		tries: "2×proxy_connect@connect:N ok", requests: 1, end: "flaky success", waits: "750ms 1.25s", took: "2s", counts: "a3 r2 fl1"},
	{id: "proxy refused for good", server: []turn{ok}, second: []turn{refused}, with: tunnelled(post, unsafe("before_send")),
		tries: "4×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "750ms 1.25s 2.25s", took: "4.25s",
		counts: "a4 r3 f1", check: blames("the proxy 192.0.2.2:443 cannot be reached: ")},
	{id: "proxy has no name", server: []turn{nxdomain}, second: []turn{ok}, with: changes(throughURL("http://proxy.example:3128"), attempts(1)),
		tries: "proxy_connect@resolve:N", end: "down proxy_connect attempts", counts: "a1 f1",
		check: blames(`the proxy proxy.example:3128 cannot be reached: name "host.example" does not exist`)},
	{id: "our descriptors, not the proxy", server: []turn{ok}, second: []turn{dialing(syscall.EMFILE)}, with: changes(proxied, attempts(1)),
		tries: "local_resource@connect:N", end: "unknown local_resource attempts", counts: "a1 u1"},
	{id: "proxy is silent to SYN", server: []turn{ok}, second: []turn{unanswered}, with: changes(proxied, sockConnect(4*time.Second), attempts(1)),
		tries: "limit_sock_connect@connect:N", end: "down limit_sock_connect attempts", took: "4s", counts: "a1 f1",
		check: blames("limit sock_connect (4s) passed while connecting to the proxy 192.0.2.2:80")},

	{id: "proxied http", server: []turn{ok}, second: []turn{status(503), ok}, with: changes(proxied),
		tries: "status@transfer:W ok", requests: 2, connections: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "proxied http is redirected", server: []turn{ok}, second: []turn{status(302, "Location: http://192.0.2.7/"), ok}, with: changes(proxied),
		tries: "ok", requests: 2, connections: 2, end: "up success", counts: "a1"},
	{id: "proxied http stale", server: []turn{ok}, second: []turn{ok, fin, ok}, prior: 1, with: changes(proxied),
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "proxied http 407", server: []turn{ok}, second: []turn{status(407)}, with: changes(proxied),
		tries: "proxy_status@transfer:W", requests: 1, end: "down proxy_status permanent", counts: "a1 f1",
		check: blames("the proxy 192.0.2.2:80 answered 407 (Proxy Authentication Required)")},
	{id: "proxied http 407 as expected", server: []turn{ok}, second: []turn{status(407)}, with: changes(proxied, expected(kinds.StatusRange{407, 407})),
		tries: "ok", requests: 1, end: "up success", counts: "a1"},

	{id: "tunnel", version: "1.1 2 auto", server: []turn{status(503), ok}, second: []turn{tunnel}, tls: showing(&papers.good), with: tunnelled(),
		tries: "status@transfer:W ok", requests: 2, connections: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "tunnel for h2c", version: "h2c", server: []turn{ok}, second: []turn{tunnel}, with: changes(proxied),
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "tunnel to a bad certificate", server: []turn{ok}, second: []turn{tunnel}, tls: showing(&papers.expired), with: tunnelled(),
		tries: "tls_cert_expired@tls:N", end: "down tls_cert_expired permanent", counts: "a1 f1"},
	{id: "tunnel after 1xx", server: []turn{ok}, second: []turn{gate("HTTP/1.1 100 Continue\r\n\r\n", tunnel)}, tls: showing(&papers.good), with: tunnelled(),
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "tunnel stale", server: []turn{ok, fin, ok}, second: []turn{tunnel}, prior: 1, tls: showing(&papers.good), with: tunnelled(),
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 4, end: "up success", counts: "a1 t1"},
	{id: "tunnel by a proxy with TLS", version: "1.1 2", server: []turn{ok}, second: []turn{secured(tunnel)}, tls: showing(&papers.good),
		with:  changes(throughURL("https://u5er:"+password+"@192.0.2.2:443"), https),
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "proxy with a bad certificate", server: []turn{ok}, second: []turn{ok}, tls: showing(&papers.good),
		with:  changes(throughURL("https://192.0.2.2:443"), https, attempts(2)),
		tries: "2×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "750ms", took: "750ms", counts: "a2 r1 f1",
		check: blames("TLS with the proxy 192.0.2.2:443: certificate is valid for 192.0.2.1")},

	{id: "CONNECT 407", server: []turn{ok}, second: []turn{connect407}, with: tunnelled(),
		tries: "proxy_status@connect:N", end: "down proxy_status permanent", counts: "a1 f1",
		check: blames("the proxy 192.0.2.2:443 answered 407 (Proxy Authentication Required) to CONNECT")},
	{id: "CONNECT 503 asks for patience", server: []turn{ok}, tls: showing(&papers.good), with: tunnelled(post, unsafe("never"), keyed),
		second: []turn{gate("HTTP/1.1 503 X\r\nRetry-After: 7\r\n\r\n", fin), gate("HTTP/1.0 502 \r\n\r\n", fin), tunnel},
		tries:  "2×proxy_status@connect:N ok", requests: 1, end: "flaky success", waits: "7.25s* 1.25s", took: "8.5s", counts: "a3 r2 fl1"},
	{id: "CONNECT 502 for POST", server: []turn{ok}, second: []turn{gate("HTTP/1.1 502 X\r\n\r\n", fin), tunnel}, tls: showing(&papers.good),
		with:  tunnelled(post, unsafe("before_send")),
		tries: "proxy_status@connect:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "CONNECT 101", server: []turn{ok}, second: []turn{gate("HTTP/1.1 101 X\r\n\r\n", silent)}, with: tunnelled(),
		tries: "proxy_status@connect:N", end: "down proxy_status permanent", counts: "a1 f1"},
	{id: "CONNECT is cut", server: []turn{ok}, with: tunnelled(),
		second: []turn{fin.on(atAccept), gate("", rst), gate("HTTP/1.1 200 OK\r\nVia: ", fin), gate("", fin)},
		tries:  "4×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1",
		check: blames("the proxy 192.0.2.2:443 closed the connection before answering CONNECT")},
	{id: "CONNECT is answered with nonsense", server: []turn{ok}, with: tunnelled(),
		second: []turn{gate("SSH-2.0-OpenSSH_9.6\r\n", silent), gate("HTTP/1.1 200 OK\r\n"+strings.Repeat("X: "+letters(1000)+"\r\n", 70), silent),
			gate(strings.Repeat("HTTP/1.1 103 X\r\n\r\n", 9), silent), gate("HTTP/1.1 200 OK\r\nno header\r\n\r\n", silent)},
		tries: "4×proxy_connect@connect:N", end: "down proxy_connect attempts", waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1",
		check: blames("the proxy 192.0.2.2:443 did not answer CONNECT with proper HTTP: ")},
	{id: "CONNECT is not answered", server: []turn{ok}, second: []turn{gate("", silent), gate("HTTP/1.1 200", silent)},
		with:  tunnelled(sockConnect(time.Second), attempts(2)),
		tries: "2×limit_connect@connect:N", end: "down limit_connect attempts", waits: "750ms", took: "10.75s", counts: "a2 r1 f1",
		check: blames("limit connect (5s) passed while waiting for the proxy 192.0.2.2:443 to answer CONNECT")},
	{id: "CONNECT takes longer than sock_connect", server: []turn{ok}, second: []turn{after(3*time.Second, tunnel)}, tls: showing(&papers.good),
		with:  tunnelled(sockConnect(time.Second)),
		tries: "ok", requests: 1, end: "up success", took: "3s", counts: "a1"},
	{id: "sock_connect is of TLS behind a proxy, too", server: []turn{silent.on(atAccept)}, second: []turn{after(2*time.Second, tunnel)},
		with:  tunnelled(sockConnect(time.Second), attempts(1)),
		tries: "limit_sock_connect@tls:N", end: "down limit_sock_connect attempts", took: "3s", counts: "a1 f1"},
	{id: "canceled at a proxy", server: []turn{ok}, second: []turn{gate("", silent)}, with: tunnelled(deadline(2 * time.Second)),
		tries: "deadline@connect:N", end: "down deadline deadline", took: "2s", counts: "a1 f1"},
	{id: "per_host counts the target", server: []turn{ok}, second: []turn{tunnel}, tls: showing(&papers.good), with: tunnelled(perHost(1)),
		play: twoHostsOneProxy, tries: "ok", requests: 2, connections: 4, end: "up success", counts: anyCounts},
}

// throughSite aims at a host that is nowhere, through the row's site.
var throughSite = changes(func(s *setup) { s.http.Proxy.URL, s.http.URL = "http://"+s.host, "https://192.0.2.1/" }, attempts(4))

// throughGate makes the run to the row's site through a proxy, which listens on loopback, too.
func throughGate(l *lab, _ *probe.Probe) *probe.Result {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	l.site(there, tunnel).listen(listener)
	r := l.run(l.probe("through", func(s *setup) {
		s.http.URL, s.http.TLS = "https://"+s.host, &kinds.TLS{InsecureSkipVerify: true}
		s.http.Proxy.URL = "http://u5er:" + password + "@" + listener.Addr().String()
	}))
	if a := r.Last(); a.RemoteAddress != listener.Addr().String() || !a.Reused || a.TLS == nil {
		l.t.Errorf("the attempt went to %s, reused %v, TLS %v", a.RemoteAddress, a.Reused, a.TLS)
	}
	return r
}

// throughURL sends the row's requests through the proxy at a URL.
func throughURL(url string) change { return func(s *setup) { s.http.Proxy.URL = url } }

// proxied sends the row's requests through the site at there.
var proxied = throughURL("http://u5er:" + password + "@" + there)

// tunnelled sends the row's requests, which are https, through the site at there.
func tunnelled(more ...change) []change {
	return append(changes(https, throughURL("http://u5er:"+password+"@"+there+":443")), more...)
}

// gate reads a CONNECT, says a text, and does what the next turn does.
func gate(text string, next turn) turn {
	return turn{at: atAccept, serve: func(p *peer) {
		if p.connected() == nil {
			return
		}
		io.WriteString(p.conn, text)
		next.serve(p)
	}}
}

// connected reads the CONNECT that is to come, once; nil when it is not what it must be.
func (p *peer) connected() *http.Request {
	if p.req != nil {
		return p.req
	}
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return nil
	}
	user, pass, ok := (&http.Request{Header: http.Header{"Authorization": req.Header["Proxy-Authorization"]}}).BasicAuth()
	if req.Method != "CONNECT" || req.Host != req.RequestURI || req.Header.Get("User-Agent") != "sonde/1.2.3" || ok && user+pass != "u5er"+password {
		p.site.lab.t.Errorf("the proxy was asked %s %s with %v", req.Method, req.RequestURI, req.Header)
	}
	p.req = req
	return req
}

var connect407 = gate("HTTP/1.1 407 X\r\nContent-Length: 1000000\r\n\r\nno", silent)

// tunnel connects to where a CONNECT leads. It is not served by TLS, whatever the sites of the row are.
var tunnel = turn{at: atAccept, serve: func(p *peer) {
	req := p.connected()
	if req == nil {
		return
	}
	dial := new(net.Dialer).DialContext
	if p.site.lab.mem != nil {
		dial = p.site.lab.mem.Dial
	}
	to, err := dial(p.site.lab.ctx, "tcp", req.Host)
	if err != nil {
		io.WriteString(p.conn, "HTTP/1.1 502 X\r\n\r\n")
		return
	}
	defer to.Close()
	p.site.lab.tunnels.Add(1)
	io.WriteString(p.conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	p.site.lab.served.Go(func() {
		io.Copy(p.conn, to)
		p.conn.Close()
	})
	io.Copy(to, p.r)
}}

// secured has the turn behind TLS with the proxy's own certificate.
func secured(next turn) turn {
	return turn{at: atAccept, serve: func(p *peer) {
		c := tls.Server(&ahead{p.raw, p.r}, &tls.Config{Certificates: []tls.Certificate{papers.gate}})
		p.conn, p.r = c, bufio.NewReader(c)
		next.serve(p)
	}}
}

// blames checks that the last error begins as it should, and names no other than the proxy.
func blames(text string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if got := r.Last().Err.Error(); !strings.HasPrefix(got, text) {
			l.t.Errorf("the error is %q, want %q at its beginning", got, text)
		}
	}
}

// twoHostsOneProxy has runs to two hosts at a time, each of which may have one connection: both pass.
func twoHostsOneProxy(l *lab, p *probe.Probe) *probe.Result {
	const third = "192.0.2.1:8443"
	s := &site{lab: l, ip: "192.0.2.1 on 8443", tls: l.row.tls, turns: []turn{ok}}
	l.sites[third] = s
	s.listen(l.mem.Listen(third))
	other := l.probe("other", func(s *setup) { s.http.URL = fmt.Sprintf("https://u5er:%s@%s/?token=%s", password, third, token) })
	first, second := l.run(p), l.run(other)
	if second.Verdict != probe.Up || first.Last().RemoteAddress != there+":443" || second.Last().Reused {
		l.t.Errorf("the other host: %v, by %q; the first by %q", second.Err, second.Last().RemoteAddress, first.Last().RemoteAddress)
	}
	return first
}
