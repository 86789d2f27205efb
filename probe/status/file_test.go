package status

import (
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// reloaded is a board that was told of loads of the file, a minute apart.
func reloaded(loads ...bool) *Board {
	b := New("1.2.3")
	b.Declare(plays("home", passes()))
	for i, ok := range loads {
		b.Reloaded(ok, time.Date(2026, 11, 30, 10, i, 0, 0, time.UTC))
	}
	return b
}

func TestPageTellsOfARefusedFile(t *testing.T) {
	t.Parallel()
	const where = " goes on: all problems stand in sonde's log, and in the answer to curl -X POST …/-/reload."
	for _, tt := range []struct {
		name  string
		loads []bool
		want  string
	}{
		{"never loaded", nil, ""},
		{"loaded", []bool{true}, ""},
		{"refused", []bool{true, false}, "Every reload since 2026-11-30 10:01:00 UTC was refused, and the file of 2026-11-30 10:00:00 UTC" + where},
		{"refused again", []bool{true, true, false, false}, "Every reload since 2026-11-30 10:02:00 UTC was refused, and the file of 2026-11-30 10:01:00 UTC" + where},
		{"mended", []bool{true, false, true}, ""},
		{"refused and nothing before", []bool{false}, "Every reload since 2026-11-30 10:00:00 UTC was refused, and what ran before" + where},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := reloaded(tt.loads...)
			text := ask(b, http.MethodGet, "text/plain").Body.String()
			top, _, _ := strings.Cut(text, "\n\n")
			if want := strings.TrimSuffix("1 not yet run\n"+tt.want, "\n"); top != want {
				t.Errorf("the text begins %q, want %q", top, want)
			}
			page := ask(b, http.MethodGet, browser).Body.String()
			wellFormed(t, page)
			if tt.want == "" && strings.Contains(page, "refused") {
				t.Error("the page speaks of a refused file")
			}
			if want := "<h1>1 not yet run</h1>\n<p class=\"down\" role=\"status\">" + html.EscapeString(tt.want) + "</p>"; tt.want != "" && !strings.Contains(page, want) {
				t.Errorf("the page has no %s:\n%s", want, page)
			}
		})
	}
}

// TestPageShowsTheFirstProblems of a refused file, on one line each and escaped, until it is mended.
func TestPageShowsTheFirstProblems(t *testing.T) {
	t.Parallel()
	b := reloaded(true)
	at := time.Date(2026, 11, 30, 10, 1, 0, 0, time.UTC)
	b.Reloaded(false, at, "old.yaml:1:1: is gone")
	b.Reloaded(false, at, "p.yaml:1:1: <b>\nx\x1b", strings.Repeat("y", 2*maxText), "p.yaml:3:1: three", "p.yaml:4:1: four", "p.yaml:5:1: five")
	text := ask(b, http.MethodGet, "text/plain").Body.String()
	top, _, _ := strings.Cut(text, "\n\n")
	want := []string{"  p.yaml:1:1: <b>; x\\x1b", "  " + strings.Repeat("y", maxText-1) + "…", "  p.yaml:3:1: three", "  and 2 more"}
	if lines := strings.Split(top, "\n"); len(lines) != 6 || !slices.Equal(lines[2:], want) {
		t.Errorf("the text begins %q, want %q after two lines", lines, want)
	}
	page := ask(b, http.MethodGet, browser).Body.String()
	wellFormed(t, page)
	if want := "<ul>\n<li>p.yaml:1:1: &lt;b&gt;; x"; !strings.Contains(page, want) || strings.Contains(page, "old.yaml") {
		t.Errorf("the page has no %s, or what was before:\n%s", want, page)
	}
	b.Reloaded(true, at)
	if page := ask(b, http.MethodGet, browser).Body.String(); strings.Contains(page, "p.yaml") {
		t.Errorf("the page shows the problems of a file that was mended:\n%s", page)
	}
}
