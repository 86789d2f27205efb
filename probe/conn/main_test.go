package conn_test

import (
	"bytes"
	"context"
	"io"
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

// ofGo drops what Go's own HTTP/1 client says, which the tests hold ours against.
type ofGo struct{ io.Writer }

func (w ofGo) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("Unsolicited response received on idle HTTP channel")) {
		return len(p), nil
	}
	return w.Writer.Write(p)
}

// TestMain silences the HTTP client as the program does, and makes one lookup before any bubble: the
// resolver's state must not belong to one.
func TestMain(m *testing.M) {
	if targets := os.Getenv("SONDE_CHILD_TARGETS"); targets != "" {
		child(targets)
		return
	}
	if os.Getenv(benchChild) != "" {
		serveBench()
		return
	}
	net.DefaultResolver.LookupHost(context.Background(), "localhost")
	(&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "localhost")
	log.SetOutput(memnet.Quiet(ofGo{&complaints}))
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
