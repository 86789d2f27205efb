package conn_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestBacklogFull has a kernel that answers no SYN: connecting hangs, and nobody here is late.
func TestBacklogFull(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at := "127.0.0.1:" + strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
	fillBacklog(t, at)
	n := conn.New(conn.Options{})
	defer n.Close()
	got := attempt(t, n, try{route: &conn.Route{Address: at}, limits: probe.Limits{Total: 5 * time.Second, SockConnect: 150 * time.Millisecond}})
	if got.Reason != probe.ReasonLimitSockConnect || got.Phase != probe.PhaseConnect || got.Evidence != probe.NeverSent {
		t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
	}
	if len(got.Addresses) != 1 || !errors.As(got.Addresses[0].Err, new(*conn.LimitError)) {
		t.Errorf("got %v, want the limit at the one address", got.Addresses)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	got = attempt(t, n, try{route: &conn.Route{Address: at}, limits: probe.Limits{Total: time.Minute}, ctx: ctx})
	if got.Reason != probe.ReasonCanceled || got.Phase != probe.PhaseConnect || got.took > 10*time.Second {
		t.Errorf("canceled: got %q in %v after %v: %v", got.Reason, got.Phase, got.took, got.Err)
	}
}

// fillBacklog connects until connecting hangs, which is not to be taken for a machine that is busy.
func fillBacklog(t *testing.T, at string) {
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		c, err := new(net.Dialer).DialContext(ctx, "tcp", at)
		cancel()
		if err != nil {
			return
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Fatal("the backlog does not fill")
}
