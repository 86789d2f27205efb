package main

import (
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// demoFile is what the demo probes. Its names that end in .demo are replaced by demo.file.
//
//go:embed demo.yaml
var demoFile string

const (
	// demoConnections bounds the open connections of each of the demo's listeners.
	demoConnections = 128
	// demoSilence bounds how long an endpoint of the demo lets a caller wait.
	demoSilence = 10 * time.Second
	// demoClosed is an address that refuses connections: port 1 is never given out by the system.
	demoClosed = "127.0.0.1:1"
)

// demo is a small set of endpoints on loopback: up, flaky in several ways and down in several ways.
// What they answer depends on nothing but how often they were asked.
type demo struct {
	web, secure, banner net.Listener

	servers []*http.Server
	done    chan struct{} // closed by close
	running sync.WaitGroup
}

// startDemo opens the endpoints on loopback. The caller closes the demo.
func startDemo() (*demo, error) { return newDemo(demoListen) }

// newDemo opens the endpoints, each at what listen returns. The caller closes the demo.
func newDemo(listen func() (net.Listener, error)) (*demo, error) {
	certificates, err := demoCertificates(time.Now())
	if err != nil {
		return nil, err
	}
	d := &demo{done: make(chan struct{})}
	for _, l := range []*net.Listener{&d.web, &d.secure, &d.banner} {
		if *l, err = listen(); err != nil {
			d.closeListeners()
			return nil, err
		}
	}
	web := d.handler()
	d.serve(d.web, &http.Server{Handler: web}, (*http.Server).Serve)
	d.serve(d.secure, &http.Server{Handler: web, TLSConfig: &tls.Config{GetCertificate: certificates}},
		func(s *http.Server, l net.Listener) error { return s.ServeTLS(l, "", "") })
	d.running.Go(d.serveBanner)
	return d, nil
}

// demoListen opens a port of the system's choice on loopback.
func demoListen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a port for the demo: %w", err)
	}
	return netutil.LimitListener(l, demoConnections), nil
}

// serve runs a server until the demo is closed. Its log is thrown away: failing is what it is for.
func (d *demo) serve(l net.Listener, s *http.Server, serve func(*http.Server, net.Listener) error) {
	s.ReadHeaderTimeout, s.IdleTimeout = demoSilence, time.Minute
	s.MaxHeaderBytes = 64 << 10
	s.ErrorLog = log.New(io.Discard, "", 0)
	d.servers = append(d.servers, s)
	d.running.Go(func() { serve(s, l) })
}

// file is the probes file of the demo, with the addresses of this one.
func (d *demo) file() []byte {
	return []byte(strings.NewReplacer(
		"web.demo:80", d.web.Addr().String(),
		"secure.demo:443", d.secure.Addr().String(),
		"banner.demo:22", d.banner.Addr().String(),
		"closed.demo:1", demoClosed,
	).Replace(demoFile))
}

// close closes every endpoint and every connection to one, and waits for their goroutines.
func (d *demo) close() {
	close(d.done)
	for _, s := range d.servers {
		s.Close()
	}
	d.closeListeners()
	d.running.Wait()
}

func (d *demo) closeListeners() {
	for _, l := range []net.Listener{d.web, d.secure, d.banner} {
		if l != nil {
			l.Close()
		}
	}
}

// serveBanner greets every caller as an SSH server does, and hangs up when the caller has spoken or
// was silent for long.
func (d *demo) serveBanner() {
	for {
		c, err := d.banner.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		d.running.Go(func() { d.greet(c) })
	}
}

func (d *demo) greet(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(demoSilence))
	io.WriteString(c, "SSH-2.0-OpenSSH_demo\r\n")
	heard := make(chan struct{})
	d.running.Go(func() {
		defer close(heard)
		c.Read(make([]byte, 1<<10))
	})
	select {
	case <-heard:
	case <-d.done:
	}
}
