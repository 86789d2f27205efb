//go:build !linux

package conn

import "net"

// dialer connects by package net.
func dialer() dialFunc {
	return (&net.Dialer{KeepAlive: -1, ControlContext: connecting}).DialContext
}
