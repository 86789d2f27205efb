package conn

import (
	"math/rand/v2"
	"testing"
)

// TestUses claims and releases routes of one shelf in any order: each is there until it was released as often
// as it was claimed, and a copy of a route is another route.
func TestUses(t *testing.T) {
	t.Parallel()
	n := New(Options{})
	defer n.Close()
	const count = 50
	routes := make([]*Route, count)
	for i := range routes {
		routes[i] = &Route{Address: "192.0.2.1:80"}
	}
	var held []*Use
	for _, r := range append(routes, routes...) {
		held = append(held, n.Use(r))
	}
	if other := *routes[0]; n.useOf(&other) != nil {
		t.Error("the claim to a route is to its copy, too")
	}
	s := held[0].shelf
	rand.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for i, u := range held {
		if n.useOf(u.route) != u || u.shelf != s || s.uses[u.at] != u {
			t.Fatalf("after %d releases: a claim is lost", i)
		}
		u.Release()
		if there := n.useOf(u.route) == u; there != (u.holds > 0) {
			t.Fatalf("after %d releases: there %v, held %d times", i+1, there, u.holds)
		}
	}
	if len(s.uses) != 0 || len(n.hosts) != 0 {
		t.Errorf("%d claims and %d hosts are left", len(s.uses), len(n.hosts))
	}
}
