//go:build !linux

package conn

import (
	"context"
	"net"
)

// dialer connects by package net.
func dialer() dialFunc {
	d := &net.Dialer{KeepAlive: -1, ControlContext: connecting}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return accepted(d.DialContext(ctx, network, address))
	}
}
