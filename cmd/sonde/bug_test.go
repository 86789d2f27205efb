package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

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
