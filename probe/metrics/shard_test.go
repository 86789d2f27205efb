package metrics

import "testing"

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
