package status

import (
	"net/http"
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
	const where = " goes on: the problems stand in the log, and in the answer to a POST to /-/reload."
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
			if want := "<h1>1 not yet run</h1>\n<p class=\"down\" role=\"status\">" + tt.want + "</p>"; tt.want != "" && !strings.Contains(page, want) {
				t.Errorf("the page has no %s:\n%s", want, page)
			}
		})
	}
}
