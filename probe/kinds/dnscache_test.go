package kinds

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestDNSCache has probes of each kind that connects ask for a name twice: with the cache it is looked up once,
// and without each time.
func TestDNSCache(t *testing.T) {
	for _, cached := range []bool{false, true} {
		for kind, settings := range map[string]func(w *world) probe.Settings{
			"tcp":  func(w *world) probe.Settings { return &TCP{Address: "host.example:80", house: w.house()} },
			"http": func(w *world) probe.Settings { return w.http("http://host.example/") },
		} {
			t.Run(fmt.Sprintf("%s %v", kind, cached), func(t *testing.T) {
				inBubble(t, func(w *world) {
					var plain, timed int
					w.net.Close()
					w.net = conn.New(conn.Options{
						Dial: w.mem.Dial,
						Lookup: func(context.Context, string) ([]net.IP, error) {
							plain++
							return []net.IP{net.IPv4(192, 0, 2, 1)}, nil
						},
						LookupTTL: func(context.Context, string) ([]net.IP, time.Duration, error) {
							timed++
							return []net.IP{net.IPv4(192, 0, 2, 1)}, time.Minute, nil
						},
					})
					w.serve(here, func(c *memnet.Conn, r *bufio.Reader) {
						if _, err := http.ReadRequest(r); err == nil {
							io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
						}
					})
					env := standard
					env.Connection.DNSCache = cached
					prober, err := settings(w).Prober(env)
					if err != nil {
						t.Fatal(err)
					}
					for range 2 {
						if a := prober.Probe(w.t.Context(), probe.Try{Number: 1}); !a.OK {
							t.Errorf("got %s: %v", a.Reason, a.Err)
						}
					}
					want := [2]int{2, 0}
					if cached {
						want = [2]int{0, 1}
					}
					if got := [2]int{plain, timed}; got != want {
						t.Errorf("got %v lookups without and with a cache, want %v", got, want)
					}
				})
			})
		}
	}
}
