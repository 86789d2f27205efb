package status

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// askPath asks the board for a path as accept says, and returns status and body.
func askPath(b *Board, path, accept string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestShare holds what the page says of a shard, and of probes that are elsewhere.
func TestShare(t *testing.T) {
	b := ran(0, plays("home"), plays("search"))
	b.Shared(Share{Text: "shard 1/4: 2 of 6 probes", Where: func(name string) string {
		return map[string]string{"orders": "shard 2/4"}[name]
	}})
	for _, c := range []struct {
		path   string
		status int
		has    []string
		hasNot string
	}{
		{"/", 200, []string{"shard 1/4: 2 of 6 probes", "2 not yet run", "home", "search"}, "orders"},
		{"/?probe=home", 200, []string{"1 not yet run", "home"}, "search"},
		{"/?probe=orders", 404, []string{"shard 1/4", "orders runs on shard 2/4"}, "search"},
		{"/?probe=nobody", 404, []string{"There is no probe nobody"}, "search"},
		{"/?probe=%3Cscript%3E%1b%5B2J", 404, []string{"There is no probe "}, "\x1b"},
		{"/?probe=", 200, []string{"home", "search"}, "There is no"},
		{"/?other=orders", 200, []string{"home", "search"}, "orders"},
	} {
		for _, accept := range []string{browser, "text/plain"} {
			status, body := askPath(b, c.path, accept)
			if status != c.status {
				t.Errorf("%s answers %d, want %d", c.path, status, c.status)
			}
			for _, text := range c.has {
				if !strings.Contains(body, text) {
					t.Errorf("%s as %s does not say %q:\n%s", c.path, accept, text, body)
				}
			}
			if strings.Contains(body, c.hasNot) || accept == browser && strings.Contains(body, "<script") {
				t.Errorf("%s as %s says %q, or a script:\n%s", c.path, accept, c.hasNot, body)
			}
		}
	}
}

// TestShareOfNothing: a shard without probes says so, and a process that runs them all knows no shards.
func TestShareOfNothing(t *testing.T) {
	b := New("")
	if _, body := askPath(b, "/", "text/plain"); body != "No probe is declared\n" {
		t.Errorf("without shards the empty page is %q", body)
	}
	if status, body := askPath(b, "/?probe=home", "text/plain"); status != 404 || body != "There is no probe home\n" {
		t.Errorf("of a probe that is not there it says %d, %q", status, body)
	}
	b.Shared(Share{Text: "shard 3/4: 0 of 2 probes", Where: func(string) string { return "" }})
	want := "This shard has no probe\nshard 3/4: 0 of 2 probes\n"
	if _, body := askPath(b, "/", "text/plain"); body != want {
		t.Errorf("the page of an empty shard is %q, want %q", body, want)
	}
}
