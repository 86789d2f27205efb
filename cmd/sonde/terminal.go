package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"sonde/probe"
)

// This file says how the program speaks to a person. Rules: what is wrong is one line that begins
// "sonde: ", with no capital and no full stop; how to mend it is a second line that begins
// "sonde: hint: "; a place in a file stands first on its line, as file:line:column, so that editors
// find it. Whatever comes from outside goes through clean. Colour and movement are for terminals only.

// terminal is where a command prints: results on out, everything else on err.
type terminal struct {
	out, err io.Writer
	// queue is what err is once the command has called detach; nil before.
	queue *logQueue
	// colour is whether out takes colours, live whether err takes a line that changes.
	colour, live bool
	// width is how many columns out has.
	width int
	// ascii is whether drawings do with ASCII.
	ascii bool
	// command is the name of the command that runs; empty before it is known.
	command string
}

// detach is called by a command that probes: from then on nobody's reading of err holds it up for long,
// once it hurries or ctx has ended. Then close ends the queue.
func (t *terminal) detach(ctx context.Context) {
	if t.queue == nil {
		t.queue = newLogQueue(ctx, t.err)
		t.err = t.queue
	}
}

// settle waits until err has what was written to it, before something is printed on out.
func (t *terminal) settle() {
	if t.queue != nil {
		t.queue.settle()
	}
}

// close writes what is to be written still.
func (t *terminal) close() {
	if t.queue != nil {
		t.queue.close()
	}
}

// example is the command as it is typed with a file.
func (t *terminal) example() string {
	if t.command == "explain" {
		return "explain FILE PROBE"
	}
	return cmp.Or(t.command, "check") + " FILE"
}

func newTerminal(stdout, stderr io.Writer) *terminal {
	dumb := os.Getenv("TERM") == "dumb"
	t := &terminal{out: stdout, err: stderr, width: 80, ascii: dumb || !speaksUTF8()}
	if columns, ok := columnsOf(stdout); ok {
		t.width = max(40, min(columns, 120))
		t.colour = !dumb && os.Getenv("NO_COLOR") == ""
	}
	_, ok := columnsOf(stderr)
	t.live = ok && !dumb
	return t
}

// speaksUTF8 is false where the environment names another coding; it often names none.
func speaksUTF8() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	coding := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return locale == "" || strings.Contains(coding, "utf8")
}

// columnsOf is how wide the terminal behind w is; ok is false when there is none.
func columnsOf(w io.Writer) (columns int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	return columns, true
}

// failure is an error that ends a command: what is wrong, how to mend it, and the exit status.
type failure struct {
	status int
	err    error
	hint   string
}

// Error is what is wrong.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap leads to the error.
func (f *failure) Unwrap() error { return f.err }

// cannot is the failure of a command that could not do its work.
func cannot(err error, hint string) error {
	return &failure{status: statusCannot, err: err, hint: hint}
}

// exitStatus ends a command that has said all there is to say.
type exitStatus int

// Error is for the interface; it is never printed.
func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// report says what ended a command, if anything did, and returns the exit status.
func (t *terminal) report(err error) int {
	var status exitStatus
	var f *failure
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &status):
		return int(status)
	case !errors.As(err, &f):
		f = &failure{status: statusCannot, err: err}
	}
	t.say("%s", f.err)
	for line := range strings.Lines(bugStack(f.err)) {
		t.say("%s", line)
	}
	if f.hint != "" {
		t.say("hint: %s", f.hint)
	}
	return f.status
}

// say prints a line on standard error.
func (t *terminal) say(format string, args ...any) {
	fmt.Fprintf(t.err, "sonde: %s\n", clean(fmt.Sprintf(format, args...)))
}

// count is "1 probe", "2 probes".
func count(n int, noun string) string { return probe.Count(n, noun) }
