package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal: what a program writes to the one end comes out of the other.
func openTerminal(t *testing.T) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return program, person
}

// onTerminal runs sonde on a terminal, with additions to its environment, and returns what the person sees.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	program, person := openTerminal(t)
	seen := newOutput()
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(seen, person) // ends with an error when the program's end is closed
	}()
	cmd := exec.Command("sonde", args...)
	cmd.Stdout, cmd.Stderr = program, program
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", "TERM=xterm", "NO_COLOR="), env...)
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	program.Close()
	<-done
	return seen.String()
}

func TestOnATerminal(t *testing.T) {
	t.Parallel()
	web := newWeb()
	t.Cleanup(web.Close)
	file := probesFile(t, "home="+web.URL+"/ok", "broken="+web.URL+"/down")
	const red, wipe = "\x1b[1;31m", "\r\x1b[K"
	for _, tt := range []struct {
		name          string
		env           []string
		colours, live bool
	}{
		{"colours and progress", nil, true, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false, true},
		{"a dumb terminal", []string{"TERM=dumb"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen := onTerminal(t, tt.env, "once", file)
			if got := strings.Contains(seen, red); got != tt.colours {
				t.Errorf("coloured is %t, want %t:\n%q", got, tt.colours, seen)
			}
			if got := strings.Contains(seen, wipe); got != tt.live {
				t.Errorf("progress is %t, want %t:\n%q", got, tt.live, seen)
			}
			// Where progress is shown a line of log would tear it apart.
			if got := strings.Contains(seen, "level=WARN"); got == tt.live {
				t.Errorf("retries are logged is %t, want %t:\n%q", got, !tt.live, seen)
			}
		})
	}
}
