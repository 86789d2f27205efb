package kinds_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"testing"

	"go.uber.org/goleak"

	"sonde/probe/conn/memnet"
)

// TestMain makes what all bubbles share before the first of them: one lookup, because the state of Go's
// resolver must not belong to a bubble, and the certificates. The standard logger and standard error
// go to files, so that each case can see that nothing was written to them.
func TestMain(m *testing.M) {
	(&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "localhost")
	dir, err := os.MkdirTemp("", "conformance")
	if err == nil {
		papers, err = newPapers(dir)
	}
	if err == nil {
		stderr, err = os.Create(dir + "/stderr")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Stderr = stderr
	log.SetOutput(memnet.Quiet(stderr)) // the program logs such lines at debug
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	if text := spoken(); text != "" {
		fmt.Printf("standard error was given: %s\n", text)
		code = 1
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// stderr is where standard error and the standard logger go.
var stderr *os.File

// spoken is what has been written to standard error so far.
func spoken() string {
	text, _ := os.ReadFile(stderr.Name())
	return string(text)
}
