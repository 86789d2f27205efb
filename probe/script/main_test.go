package script_test

import (
	"context"
	"log"
	"net"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sonde/probe/conn/memnet"
)

// complaints counts what reaches the standard logger in spite of Quiet.
var complaints strings.Builder

// TestMain makes one lookup before any bubble: the resolver's state must not belong to one.
func TestMain(m *testing.M) {
	net.DefaultResolver.LookupHost(context.Background(), "localhost")
	(&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "localhost")
	log.SetOutput(memnet.Quiet(&complaints))
	code := m.Run()
	if complaints.Len() > 0 && code == 0 {
		os.Stderr.WriteString("the standard logger was given: " + complaints.String())
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error())
		code = 1
	}
	os.Exit(code)
}
