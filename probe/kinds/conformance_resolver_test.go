package kinds_test

import (
	"context"
	"io"
	"log"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe/conn/memnet"
)

// silentLog is for servers of these tests: what they say of a client is not the prober's.
var silentLog = log.New(io.Discard, "", 0)

// resolverRows are what Go's own resolver makes of a server of names on loopback.
func resolverRows() (rows []row) {
	for _, c := range []struct {
		id     string
		code   dnsmessage.RCode
		reason string
	}{
		{"NXDOMAIN", dnsmessage.RCodeNameError, "dns_not_found"},
		{"no addresses", dnsmessage.RCodeSuccess, "dns_not_found"},
		{"SERVFAIL", dnsmessage.RCodeServerFailure, "dns_temporary"},
		{"REFUSED", dnsmessage.RCodeRefused, "dns_server"},
	} {
		rows = append(rows, row{
			id: "resolver says " + c.id, with: changes(attempts(2), resolvedBy(answering(c.code))),
			tries: "2×" + c.reason + "@resolve:N", end: "down " + c.reason + " attempts", waits: "1ms", counts: "a2 r1 f1",
		})
	}
	return append(rows,
		row{id: "resolver is silent on loopback", with: changes(attempts(2), connect(150*time.Millisecond), resolvedBy(mute)),
			tries: "2×limit_connect@resolve:N", end: "down limit_connect attempts", waits: "1ms", counts: "a2 r1 f1"},
		row{id: "resolver is not there", with: changes(attempts(2), resolvedBy(nil)),
			tries: "2×dns_temporary@resolve:N", end: "down dns_temporary attempts", waits: "1ms", counts: "a2 r1 f1"},
	)
}

// resolvedBy has names looked up by Go's resolver at a server that answers each question with f; without
// f its port is closed.
func resolvedBy(f func(question []byte) []byte) change {
	return func(s *setup) {
		s.host = "host.example"
		s.lookup = func(ctx context.Context, host string) ([]net.IP, error) {
			server, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			defer server.Close()
			if f == nil {
				server.Close()
			} else {
				go serveNames(server, f)
			}
			r := net.Resolver{PreferGo: true, Dial: func(asking context.Context, _, _ string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(asking, "udp", server.LocalAddr().String())
				if err == nil {
					context.AfterFunc(ctx, func() { c.Close() }) // Go would wait on for seconds
				}
				return c, err
			}}
			return r.LookupIP(ctx, "ip", host)
		}
	}
}

func serveNames(c net.PacketConn, f func([]byte) []byte) {
	var buf [512]byte
	for {
		n, from, err := c.ReadFrom(buf[:])
		if err != nil {
			return
		}
		if answer := f(buf[:n]); answer != nil {
			c.WriteTo(answer, from)
		}
	}
}

// answering answers every question with a code and no address.
func answering(code dnsmessage.RCode) func([]byte) []byte {
	return func(question []byte) []byte {
		var m dnsmessage.Message
		if m.Unpack(question) != nil {
			return nil
		}
		m.Header.Response, m.Header.RecursionAvailable, m.Header.RCode, m.Additionals = true, true, code, nil
		answer, _ := m.Pack()
		return answer
	}
}

func mute([]byte) []byte { return nil }

// TestConformanceOfASilentResolver lets Go's resolver give up by itself, in virtual time: how long that
// takes is the machine's setting, so only the reason is looked at.
func TestConformanceOfASilentResolver(t *testing.T) {
	t.Parallel()
	r := row{id: "resolver gives up", version: "1.1", with: changes(attempts(1), connect(0), total(0), silentNames),
		tries: "dns_timeout@resolve:N", end: "down dns_timeout attempts", counts: "a1 f1", took: anyTime}
	synctest.Test(t, r.inBubble)
}

// silentNames has names looked up by Go's resolver over connections at whose other end nobody is.
func silentNames(s *setup) {
	s.host = "host.example"
	r := net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		c, _ := memnet.Pipe("10.0.0.1:1", "10.0.0.2:53")
		return c, nil
	}}
	s.lookup = func(ctx context.Context, host string) ([]net.IP, error) { return r.LookupIP(ctx, "ip", host) }
}
