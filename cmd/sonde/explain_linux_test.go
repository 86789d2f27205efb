package main

import (
	"strings"
	"testing"
)

// TestExplainOnATerminal: colours and progress are for terminals that take them.
func TestExplainOnATerminal(t *testing.T) {
	t.Parallel()
	web := newWeb()
	t.Cleanup(web.Close)
	file := probesFile(t, "broken="+web.URL+"/down")
	for _, tt := range []struct {
		name                 string
		env                  []string
		colours, live, ascii bool
	}{
		{"colours and progress", []string{"LC_ALL=C.UTF-8"}, true, true, false},
		{"NO_COLOR", []string{"NO_COLOR=1", "LC_ALL="}, false, true, false},
		{"another coding", []string{"LC_ALL=de_DE.ISO-8859-1"}, true, true, true},
		{"a dumb terminal", []string{"TERM=dumb"}, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen := onTerminal(t, append([]string{"LANG=", "LC_CTYPE="}, tt.env...), "explain", file, "broken")
			for text, want := range map[string]bool{"\x1b[1;31m": tt.colours, "\r\x1b[K": tt.live, "█": !tt.ascii, "###": tt.ascii} {
				if got := strings.Contains(seen, text); got != want {
					t.Errorf("%q is there: %t, want %t:\n%q", text, got, want, seen)
				}
			}
		})
	}
}
