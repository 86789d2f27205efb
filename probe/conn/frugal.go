package conn

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// dialFunc opens one connection to one address.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// frugally dials, and where the kernel has no descriptor left, which whoever else has files open may bring about
// at any time, gives up idle connections for it first.
func (n *Network) frugally(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		for outOfFiles(err) && n.giveUpIdle() {
			c, err = dial(ctx, network, address)
		}
		return c, err
	}
}

// outOfFiles is true where the process, or the system, has too many files open.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// giveUpIdle closes the connection that has been idle for longest; false when there is none. Who waits for what
// it has held waits on: the account was wrong, and there is no more than what the caller needs.
func (n *Network) giveUpIdle() bool {
	var out outcome
	defer out.settle()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.evict(&out)
}
