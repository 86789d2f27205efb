package dns_test

import (
	"context"
	"net"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes one lookup before any bubble: the state of Go's resolver must not belong to one.
func TestMain(m *testing.M) {
	(&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "localhost")
	goleak.VerifyTestMain(m)
}
