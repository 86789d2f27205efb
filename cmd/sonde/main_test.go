package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes the program itself a command of the scripts in testdata, and of tests that need a
// process of its own. The program gives up what a person would not wait for; here, and in those processes,
// it waits as long as the tests do, however busy the machine is.
func TestMain(m *testing.M) {
	completeTimeout, healthcheckTimeout, stopTimeout = awaitTimeout, awaitTimeout, awaitTimeout
	testscript.Main(tidy{m}, map[string]func(){
		"sonde": main, "bench-server": benchServer, "overload-server": overloadServer, "overload-streams": overloadStreams,
		"busy-loop": busyLoop,
	})
}

// tidy is all tests, which must leave no goroutine behind.
type tidy struct{ tests testscript.TestingM }

// Run runs the tests.
func (m tidy) Run() int {
	code := m.tests.Run()
	http.DefaultClient.CloseIdleConnections()
	if err := leaked(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// leaked is what goroutines are left behind. They are looked for a few times more than goleak does by itself,
// for on a busy machine those that are about to end may take a while.
func leaked() (err error) {
	for range 10 {
		if err = goleak.Find(); err == nil {
			return nil
		}
	}
	return err
}

// TestScripts runs testdata/*.txtar: what a user types, and what they see. In a script, fill replaces
// $WEB, $CLOSED and $TAKEN in files: a web server of the script's own, and an address that refuses
// connections, and one that is taken.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			web := newWeb()
			e.Defer(web.Close)
			e.Setenv("WEB", web.URL)
			e.Setenv("TAKEN", web.Listener.Addr().String())
			e.Setenv("CLOSED", closedAddress())
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second more
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"fill": fill, "exits": exits},
	})
}

// exits runs a command that must end with a status: exits 2 sonde once nowhere.yaml.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s\n%s%s", status, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func fill(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		name = ts.MkAbs(name)
		text, err := os.ReadFile(name)
		ts.Check(err)
		for _, v := range []string{"WEB", "CLOSED", "TAKEN"} {
			text = bytes.ReplaceAll(text, []byte("$"+v), []byte(ts.Getenv(v)))
		}
		ts.Check(os.WriteFile(name, text, 0o644))
	}
}

// closedAddress is an address of loopback that refuses connections. Port 1 is never given out.
func closedAddress() string { return "127.0.0.1:1" }

// target is a server that is up, down, flaky, or silent, by path.
type target struct {
	*httptest.Server
	flaky sync.Map // the URLs that have been asked for below /flaky
	// waiting is told of each request to /silent; the answer to it never comes.
	waiting chan struct{}
}

func newWeb() *target {
	w := &target{waiting: make(chan struct{}, 100)}
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(rw http.ResponseWriter, r *http.Request) { rw.Write([]byte("all is well\n")) })
	mux.HandleFunc("/down", func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusServiceUnavailable)
		rw.Write([]byte("busy \x1b[2J\n"))
	})
	mux.HandleFunc("/gone", http.NotFound)
	mux.HandleFunc("/flaky", func(rw http.ResponseWriter, r *http.Request) {
		if _, again := w.flaky.LoadOrStore(r.URL.String(), true); !again {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/silent", func(rw http.ResponseWriter, r *http.Request) {
		w.waiting <- struct{}{}
		<-r.Context().Done()
	})
	w.Server = httptest.NewServer(mux)
	return w
}
