package conn_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestFloodsAtFullSpeed has floods come as fast as loopback carries them, which no bubble can: they are ended when
// nothing comes of them, or else by the limits, be it that a machine which is that busy is late as well. How long that
// takes is measured in the processor's time that both sides had, for of the machine's others may take any part.
func TestFloodsAtFullSpeed(t *testing.T) {
	const limit, slack, never = 200 * time.Millisecond, 5 * time.Second, 2 * time.Minute
	for _, x := range []struct {
		name         string
		version      conn.Version
		first, again string
		reason       probe.Reason
	}{
		{"a body", conn.V1, okHead + "\r\n", "xxxxxxxxxx", probe.ReasonLimitTotal},
		{"chunks of one byte", conn.V1, chunkedHead, "1\r\nx\r\n", probe.ReasonLimitTotal},
		{"PING", conn.H2C, "", frames(ping), probe.ReasonProtocolError},
		{"SETTINGS", conn.H2C, "", frames(noSettings), probe.ReasonProtocolError},
		{"GOAWAY", conn.H2C, "", frames(goAway), probe.ReasonProtocolError},
		{"CONTINUATION of nothing", conn.H2C, frames(noHeaders), frames(noContinuation), probe.ReasonProtocolError},
		{"DATA of nothing", conn.H2C, frames(begins), frames(noData), probe.ReasonProtocolError},
	} {
		t.Run(x.name, func(t *testing.T) {
			at := serve(t, func(c net.Conn) { pourAtFullSpeed(c, x.version, x.first, x.again) })
			n := conn.New(conn.Options{})
			defer n.Close()
			req := newRequest("GET", at)
			start, began := time.Now(), cpu()
			ctx, cancel := context.WithTimeout(t.Context(), never)
			defer cancel()
			c := n.Start(ctx, probe.Limits{Total: limit})
			resp, err := c.RoundTrip(&conn.Route{Address: at, Version: x.version, Connection: kept}, req, false)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			a := c.End(err)
			if took, worked := time.Since(start), cpu()-began; took > limit+slack && worked > limit+slack {
				t.Errorf("the attempt took %v, and %v of the processor's time, want little more than %v", took, worked, limit)
			}
			if a.Reason != x.reason && a.Limit != probe.LimitTotal || (a.Limit != "") != (a.Reason != probe.ReasonProtocolError) {
				t.Errorf("got %q, limit %q: %v", a.Reason, a.Limit, a.Err)
			}
		})
	}
}

// pourAtFullSpeed takes a request, and writes until nobody listens.
func pourAtFullSpeed(c net.Conn, v conn.Version, first, again string) {
	if v == conn.H2C {
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		io.WriteString(c, frames(noSettings))
		newPeer(c, c).stream()
	} else if _, err := c.Read(make([]byte, 4<<10)); err != nil {
		return
	}
	go io.Copy(io.Discard, c)
	io.WriteString(c, first)
	again = strings.Repeat(again, 1+16<<10/len(again))
	for {
		if _, err := io.WriteString(c, again); err != nil {
			return
		}
	}
}
