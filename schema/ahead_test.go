package schema

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"sonde/probe"
)

// moody is a kind that panics once, and counts its probers that are open.
type moody struct {
	made, open atomic.Int32
	panicsAt   int32 // at which prober
}

func (m *moody) kinds() []probe.Kind {
	return []probe.Kind{{Name: "plain", New: func() probe.Settings { return &moodySettings{kind: m} }}}
}

type moodySettings struct {
	// Where it is.
	Address string `yaml:"address" validate:"required" example:"example.com"`

	kind *moody
}

func (s *moodySettings) Check(probe.Env) []probe.Fault { return nil }
func (s *moodySettings) Target() string                { return s.Address }
func (s *moodySettings) Host() string                  { return s.Address }

func (s *moodySettings) Prober(probe.Env) (probe.Prober, error) {
	if s.kind.made.Add(1) == s.kind.panicsAt {
		panic("a bug")
	}
	s.kind.open.Add(1)
	return &moodyProber{kind: s.kind}, nil
}

type moodyProber struct {
	fakeProber
	kind *moody
}

func (p *moodyProber) Close() error {
	p.kind.open.Add(-1)
	return nil
}

// A kind that panics while a piece is read ahead leaves nothing open but the probers of the set, which is read as a
// whole then.
func TestAPanicAheadLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	const many = 2000
	text := bytes.NewBufferString("probes:\n")
	for i := range many {
		fmt.Fprintf(text, "  - {name: probe-%d, plain: {address: host-%d.example.com}}\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "probes.yaml")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int32{1, 2 * pieceSize / 3, many / 2} {
		m := moody{panicsAt: at}
		c, err := (&Memory{Lean: true}).Check(System(), []string{path}, m.kinds())
		if err != nil || c.Set == nil {
			t.Fatalf("%v, and the problems %v", err, c.Problems)
		}
		if made, open := m.made.Load(), m.open.Load(); made < many+at || open != many || len(c.Set.Probes) != many {
			t.Errorf("of %d probers %d are open, and the set has %d probes, want %d", made, open, len(c.Set.Probes), many)
		}
	}
}
