package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"sonde/probe"
	"sonde/schema"
)

// panickingLoad is a source whose reading hits a bug, in a function that is known by its name.
func panickingLoad(ctx context.Context) (*schema.Set, error) {
	return source{name: "a.yaml", read: func() (*schema.Set, error) { panic("no such\nrow") }}.load(ctx)
}

func TestBugInReadingShowsItsStack(t *testing.T) {
	t.Parallel()
	_, err := panickingLoad(t.Context())
	var printed bytes.Buffer
	if status := (&terminal{err: &printed}).report(err); status != statusCannot {
		t.Errorf("the exit status is %d, want %d", status, statusCannot)
	}
	first, rest, _ := strings.Cut(printed.String(), "\n")
	if want := "sonde: reading a.yaml hit a bug of sonde: no such; row"; first != want {
		t.Errorf("the first line is %q, want %q", first, want)
	}
	if !strings.Contains(rest, "panickingLoad") {
		t.Errorf("the stack does not name who panicked:\n%s", rest)
	}
}

func TestBugInAReloadIsLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	r := startReloader(t)
	_, err := panickingLoad(t.Context())
	r.loads <- err
	if _, err := r.ask(t.Context(), "request"); err == nil || strings.Contains(err.Error(), "panickingLoad") {
		t.Errorf("whoever asked is told %v, want the bug without its stack", err)
	}
	lines := r.lines()
	if len(lines) != 1 || !strings.Contains(lines[0], `error="reading a.yaml hit a bug of sonde: no such; row" stack=`) ||
		!strings.Contains(lines[0], "panickingLoad") {
		t.Errorf("log: %q, want one line with the bug and its stack", lines)
	}
}

// A panic that belongs to no attempt is logged with its stack, and with its value only where that can be no secret.
func TestStrayBugIsLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		value any
		want  string
	}{
		{"Bearer s3cr3t", `error="a panic with a string"`},
		{indexOutOfRange(), `error="runtime error: index out of range [3] with length 0"`},
	} {
		var b bytes.Buffer
		p := &probe.PanicError{Value: row.value, Stack: []byte("goroutine 1 [running]")}
		daemonFlags{Log: logFlags{Level: "error", Format: "logfmt"}}.options(&terminal{err: &b}).Bug(p)
		if got := b.String(); !strings.Contains(got, row.want) || !strings.Contains(got, `stack="goroutine 1 [running]"`) || strings.Contains(got, "s3cr3t") {
			t.Errorf("logged %q, want %s and the stack", got, row.want)
		}
	}
}

// indexOutOfRange is what Go panics with.
func indexOutOfRange() (value any) {
	defer func() { value = recover() }()
	var none []int
	return none[len(os.Args[:0])+3]
}
