package main

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// The numbers of the overload with streams: how many endpoints of each sort are asked once a second.
const (
	streamsHealthy = 12
	streamsOther   = 3
)

// overloadStreamsFile probes each endpoint once a second, with the attempts of the defaults: over HTTP/2, where
// probes share a connection or make their own, and over HTTP/1 with a TLS handshake for every attempt.
func overloadStreamsFile(secure, plain, mute string) (file string, healthy map[string]int) {
	var b strings.Builder
	b.WriteString("defaults: {interval: 1s}\nprobes:\n")
	probes := func(n int, sort, common, url, settings string) {
		for i := range n {
			fmt.Fprintf(&b, "  - {name: %s-%d, %shttp: {url: \"%s?%s-%d\", tls: {insecure_skip_verify: true}, %s}}\n", sort, i, common, url, sort, i, settings)
		}
	}
	const limits = "timeout: {total: 600ms, connect: 400ms, sock_connect: 400ms, sock_read: 300ms}, "
	const fresh, post = "connection: {reuse: false}, ", "method: POST, json: {sku: canary}"
	h2, h2c, h1 := "version: \"2\"", "version: h2c", "version: \"1.1\""
	healthy = map[string]int{}
	for _, s := range []struct{ sort, common, url, settings string }{
		{"h2", "", "https://" + secure + "/", h2},
		{"h2c", "", "http://" + plain + "/", h2c},
		{"h2-fresh", fresh, "https://" + secure + "/", h2},
		{"h2-post", "", "https://" + secure + "/", h2 + ", " + post},
		{"h1-fresh", fresh, "https://" + secure + "/", h1},
		{"h1-post", "", "https://" + secure + "/", h1 + ", " + post},
		{"h1-limits", limits + fresh, "https://" + secure + "/", h1},
		{"h2-limits", limits, "https://" + secure + "/", h2},
	} {
		probes(streamsHealthy, s.sort, s.common, s.url, s.settings)
		healthy[s.sort] = streamsHealthy
	}
	probes(streamsOther, "h2-mute", "", "https://"+secure+"/mute", h2) // on the connection of the healthy
	probes(streamsOther, "h2c-mute", "timeout: {sock_read: 300ms}, ", "http://"+plain+"/mute", h2c)
	probes(streamsOther, "tls-mute", fresh, "https://"+mute+"/", "")
	return b.String(), healthy
}

// overloadStreams is a process that speaks TLS and HTTP/2 or HTTP/1 at one address, HTTP/2 without TLS at another, and
// takes connections and says nothing at a third. What is asked for below /mute it does not answer. It prints the
// addresses, and ends with its standard input.
func overloadStreams() {
	secure, plain, mute := streamsListener(), streamsListener(), streamsListener()
	cert, err := demoCertificate("streams.test", time.Now().Add(time.Hour))
	if err != nil {
		panic(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(answerStream), Protocols: &http.Protocols{}, ErrorLog: log.New(io.Discard, "", 0)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}}
	go s.ServeTLS(secure, "", "")
	go s.Serve(plain)
	go func() {
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(io.Discard, c); c.Close() }()
		}
	}()
	fmt.Println(secure.Addr(), plain.Addr(), mute.Addr())
	io.Copy(io.Discard, os.Stdin)
}

func streamsListener() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l
}

func answerStream(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/mute" {
		<-r.Context().Done()
		return
	}
	_, err := io.Copy(io.Discard, r.Body)
	if cmp.Or(err, r.Context().Err()) == nil {
		io.WriteString(w, "All is well.\n")
	}
}
