package conn_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"testing"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// BenchmarkAtRest says what a network holds for each route that a prober uses: with no connection, with one
// that is kept (in memory, so without what a socket or TLS costs), and after that has gone, but for its other end.
func BenchmarkAtRest(b *testing.B) {
	const count = 10_000
	b.Run("route", func(b *testing.B) {
		for b.Loop() {
			n := conn.New(conn.Options{})
			b.ReportMetric(growth(count, func(i int) { n.Use(restRoute(i)) }), "B/route")
			n.Close()
		}
	})
	b.Run("connection", func(b *testing.B) { atRest(b, count, func(*conn.Use) {}) })
	b.Run("gone", func(b *testing.B) { atRest(b, count, (*conn.Use).Rest) })
}

// atRest says what a network holds for each of count routes once it has made a connection to it, and after that.
func atRest(b *testing.B, count int, after func(u *conn.Use)) {
	for b.Loop() {
		ends := make([]net.Conn, 0, count)
		n := conn.New(conn.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := memnet.Pipe("10.0.0.1:1", "10.0.0.2:80")
			there.Write([]byte(ok200))
			ends = append(ends, there)
			return here, nil
		}})
		b.ReportMetric(growth(count, func(i int) {
			r := restRoute(i)
			u := n.Use(r)
			attempt(b, n, try{route: r})
			after(u)
		}), "B/route")
		n.Close()
	}
}

func restRoute(i int) *conn.Route {
	return &conn.Route{Address: fmt.Sprintf("10.%d.%d.%d:80", i>>16&255, i>>8&255, i&255), Connection: kept}
}

// growth is by how many bytes the heap grows with each call of f.
func growth(count int, f func(i int)) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range count {
		f(i)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	return float64(after.HeapAlloc-before.HeapAlloc) / float64(count)
}
