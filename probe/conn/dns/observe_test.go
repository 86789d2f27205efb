package dns

import (
	"errors"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe"
)

// What name servers say is read on goroutines of Go's resolver. A panic there is the lookup's or, once that is over,
// nobody's.
func TestPanicOfAnObserver(t *testing.T) {
	t.Parallel()
	name := dnsmessage.MustNewName("host.example.")
	q := dnsmessage.Question{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}
	question, err := (&dnsmessage.Message{Header: dnsmessage.Header{ID: 1}, Questions: []dnsmessage.Question{q}}).Pack()
	if err != nil {
		t.Fatal(err)
	}
	var stray []*probe.PanicError
	met := &report{bug: func(p *probe.PanicError) { stray = append(stray, p) }}
	(&observer{met: met}).sent(question) // there is nowhere to keep it
	if err := met.conclude(nil); !errors.As(err, new(*probe.PanicError)) || len(stray) > 0 {
		t.Errorf("the lookup ends with %v, and %d panics are stray, want one panic, and none stray", err, len(stray))
	}
	(&observer{met: met}).sent(question)
	if len(stray) != 1 {
		t.Errorf("after the lookup %d panics are stray, want 1", len(stray))
	}
}
