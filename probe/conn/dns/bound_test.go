package dns

import (
	"fmt"
	"net"
	"testing"
	"time"
)

// TestHowManyAreKept keeps more answers than there is room for: one that holds goes where none has ended.
func TestHowManyAreKept(t *testing.T) {
	t.Parallel()
	c := cache{answers: map[string]answer{}}
	ips := []net.IP{net.IPv4(192, 0, 2, 1)}
	for i := range maxKept + 100 {
		c.keep(fmt.Sprintf("host-%d.example", i), ips, time.Minute, nil)
	}
	last := fmt.Sprintf("host-%d.example", maxKept+99)
	if _, ok := c.answers[last]; !ok || len(c.answers) != maxKept {
		t.Errorf("%d answers are kept, the last of them %v, want %d, and the last", len(c.answers), ok, maxKept)
	}
}
