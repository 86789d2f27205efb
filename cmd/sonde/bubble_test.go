package main

import (
	"fmt"
	"net"
	"testing"
	"testing/synctest"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// inBubble has a demo and a network that leads to it, both in memory and in a bubble: time stands still while
// anything is done, so what comes of the demo's short limits does not depend on how busy the machine is.
func inBubble(t *testing.T, options conn.Options, f func(t *testing.T, d *demo, network *conn.Network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d, mem := bubbledDemo(t)
		defer d.close()
		options.Dial = mem.Dial
		network := conn.New(options)
		defer network.Close()
		f(t, d, network)
	})
}

// bubbledDemo is a demo on a network in memory, which the caller closes.
func bubbledDemo(t *testing.T) (*demo, *memnet.Net) {
	t.Helper()
	mem, port := &memnet.Net{}, 10000
	d, err := newDemo(func() (net.Listener, error) {
		port++
		return mem.Listen(fmt.Sprintf("127.0.0.1:%d", port)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, mem
}
