package kinds_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"sonde/probe/conn/memnet"
)

// TestMain makes what all bubbles share before the first of them: one lookup, because the state of Go's
// resolver must not belong to a bubble, and the certificates. The standard logger and standard error
// go to a file, so that each case can see that nothing was written to them; while something is fuzzed
// standard error does not, for Go tells there how it gets on.
func TestMain(m *testing.M) {
	flag.Parse()
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
	if !fuzzes() {
		os.Stderr = stderr
	}
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

// fuzzes is true of a process that fuzzes, or works for one that does.
func fuzzes() bool {
	worker := flag.Lookup("test.fuzzworker").Value.String()
	return worker == "true" || flag.Lookup("test.fuzz").Value.String() != ""
}

// TestFuzzingIsNoFault of what is fuzzed: what Go says of it on standard error does not fail the run.
func TestFuzzingIsNoFault(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "-test.run=^$", "-test.fuzz=^FuzzQuote$", "-test.fuzztime=1x", "-test.parallel=1",
		"-test.fuzzcachedir="+t.TempDir()).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("fuzz: elapsed: ")) {
		t.Errorf("%v, want progress and no error:\n%s", err, out)
	}
}

// stderr is where standard error and the standard logger go.
var stderr *os.File

// spoken is what has been written to standard error so far.
func spoken() string {
	text, _ := os.ReadFile(stderr.Name())
	return string(text)
}
