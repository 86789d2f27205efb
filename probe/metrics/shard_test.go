package metrics

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestShards: the series is there exactly when the probes are divided, and has what an alert on a shard
// that is missing needs.
func TestShards(t *testing.T) {
	r := New(Build{})
	if got := exposed(t, r, "sonde_shards"); got != "" {
		t.Errorf("of a process that runs all probes: got %q, want nothing", got)
	}
	r.Sharded(1, 4)
	if got, want := exposed(t, r, "sonde_shards"), "sonde_shards{shard=\"1\"} 4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestElsewhere: who asks a shard for another's probe is told whose it is.
func TestElsewhere(t *testing.T) {
	r := threeGroups()
	r.Elsewhere(func(name string) string { return map[string]string{"far": "shard 2/4", "wide": "all 4 shards"}[name] })
	for query, want := range map[string]string{
		"probe=far":            "the probe \"far\" runs on shard 2/4, and not here\n",
		"probe=wide&probe=far": "the probe \"far\" runs on shard 2/4, the probe \"wide\" runs on all 4 shards, and not here\n",
		"probe=gone":           "this shard has no probe of the name \"gone\"\n",
		"group=gone":           "this shard has no probe of the group \"gone\"\n",
	} {
		w := httptest.NewRecorder()
		r.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics?"+query, nil))
		if w.Code != http.StatusNotFound || w.Body.String() != want {
			t.Errorf("%s is answered %d %q, want 404 %q", query, w.Code, w.Body, want)
		}
	}
}
