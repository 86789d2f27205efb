package status

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"sonde/probe"
)

// TestPageOfOneProbeHasItsAttempts, and the page of all has none.
func TestPageOfOneProbeHasItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hostile := fails(probe.ReasonAssertion, "received \"<script>\x1b\u202e\", want a match of \"x\"")
		hostile.Phase, hostile.Transient = probe.PhaseTransfer, true
		b := ran(1, plays("p", fails(probe.ReasonLimitSockRead, "limit sock_read: no byte for 1s while waiting"), passes()),
			plays("hostile", hostile), plays("up", passes()))
		for _, tt := range []struct {
			path, accept string
			want, not    []string
		}{
			{"/?probe=p", browser, []string{"<details open>", "attempt 1, 1s: limit_sock_read in phase queue: no byte for 1s while waiting</li>", "attempt 2, 1s: passed</li>"}, nil},
			{"/?probe=p", "text/plain", []string{"\n  attempt 1, 1s: limit_sock_read in phase queue: no byte for 1s while waiting\n  attempt 2, 1s: passed\n"}, nil},
			{"/?probe=hostile", browser, []string{"&lt;script&gt;", "in phase transfer"}, []string{"<script", "\x1b", "\u202e"}},
			{"/?probe=up", browser, nil, []string{"<details"}},
			{"/", browser, nil, []string{"<details", "in phase"}},
			{"/", "text/plain", nil, []string{"in phase"}},
		} {
			r := httptest.NewRequest(http.MethodGet, tt.path, nil)
			r.Header.Set("Accept", tt.accept)
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			body := w.Body.String()
			if tt.accept == browser {
				wellFormed(t, body)
			}
			for _, want := range tt.want {
				if !strings.Contains(body, want) {
					t.Errorf("%s: there is no %q in\n%s", tt.path, want, body)
				}
			}
			if i := slices.IndexFunc(tt.not, func(s string) bool { return strings.Contains(body, s) }); i >= 0 {
				t.Errorf("%s: there is %q in\n%s", tt.path, tt.not[i], body)
			}
		}
	})
}

// TestTriesAreBounded, for a run may have a hundred.
func TestTriesAreBounded(t *testing.T) {
	r := &probe.Result{}
	for i := range 100 {
		a := fails(probe.ReasonStatus, strings.Repeat(fmt.Sprint(i), 5000))
		a.Number = i + 1
		r.Attempts = append(r.Attempts, a)
	}
	got := triesOf(r)
	if len(got) != mostTries || got[mostTries-1].number != 100 || len([]rune(got[0].text)) > maxText {
		t.Errorf("%d attempts are kept, the last is %d, want the last %d", len(got), got[len(got)-1].number, mostTries)
	}
}
