package schema

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sonde/probe"
)

// wildFile is a great file that is changed at random, in every way that bears on more than one probe.
type wildFile struct {
	*rand.Rand
	head, tail string
	elements   []string
	made       int
}

func newWildFile(seed uint64) *wildFile {
	w := &wildFile{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.head, w.tail = pick(w, heads), pick(w, tails)
	for range 240 {
		w.elements = append(w.elements, w.element())
	}
	return w
}

func pick[T any](w *wildFile, list []T) T { return list[w.IntN(len(list))] }

// rarely is one of a list of texts, now and then, and else nothing.
func (w *wildFile) rarely(often int, list ...string) string {
	if w.IntN(often) > 0 {
		return ""
	}
	return pick(w, list)
}

var (
	heads = []string{"", "defaults: {interval: 1m}\n", "defaults: {labels: {a: b}, timeout: {total: 20s}}\n", "metrics: {histograms: off}\n", "x-note: &a {b: c}\n"}
	tails = []string{"", "\nprofiles: {web: {deadline: 20s}, idle: {group: g}}\n", "profiles: {web: {fake: {method: post}}}\n# the end", "# the end\n"}
)

// element is one element of the list of probes: nearly always a good one.
func (w *wildFile) element() string {
	w.made++
	name := w.made
	if w.IntN(300) == 0 {
		name = max(1, w.made-w.IntN(50))
	}
	return fmt.Sprintf("- name: p%d\n", name) +
		fmt.Sprintf("  interval: %s\n", pick(w, []string{"30s", "1m", "5m", "2s", "1h"})) +
		w.rarely(60, "  interval: 1m\n", "  grupp: a\n", "  # a note\n", "\n", "  labels: *a\n") +
		w.rarely(60, "  interval: 500ms\n", "  timeout: {connect: 1h}\n", "  enabled: false\n", "  deadline: none\n", "  description: |\n    - name: no\n    probes:\n") +
		w.rarely(20, "  use: web\n", "  use: idle\n", "  retry: {attempts: 9}\n", "  retry: {budget: {ratio: 0.5}}\n", "  connection: {per_host: 2}\n", "  targets: [{name: a, h: x}, {name: b, h: y}]\n") +
		fmt.Sprintf("  fake: {address: 'h%d.example.com:1', headers: {A: \"%s\"}}\n", w.IntN(60), strings.Repeat("x", 250+w.IntN(40)))
}

// change changes something.
func (w *wildFile) change() {
	at, other := w.IntN(len(w.elements)), w.IntN(len(w.elements))
	switch w.IntN(12) {
	case 0:
		w.head = pick(w, heads)
	case 1:
		w.tail = pick(w, tails)
	case 2:
		w.elements = slices.Delete(w.elements, at, at+1)
	case 3, 4:
		w.elements = slices.Insert(w.elements, at, w.element())
	case 5:
		w.elements[at], w.elements[other] = w.elements[other], w.elements[at]
	case 6:
		slices.Reverse(w.elements[min(at, other):max(at, other)])
	case 7, 8:
		w.elements[at] = strings.Replace(w.elements[at], "interval: ", "interval: 1", 1)
	case 9:
		w.elements[at] = strings.Replace(w.elements[at], "  fake: {address: 'h", "  retry: {attempts: 50, backoff: {base: 0s, jitter: 0s}}\n  fake: {address: 'h1", 1)
	default:
		w.elements[at] = w.element()
	}
}

func (w *wildFile) text() string {
	return w.head + "probes:\n" + strings.Join(w.elements, "") + w.tail
}

// mend takes out what is wrong, so that it is not for ever: whatever has a problem is made anew.
func (w *wildFile) mend(c *Checked) {
	text := w.text()
	for _, p := range c.Problems {
		line, from := p.Line, strings.Count(text[:strings.Index("\n"+text, "\nprobes:")], "\n")+1
		for i, e := range w.elements {
			if from += strings.Count(e, "\n"); from >= line {
				w.elements[i] = w.element()
				break
			}
		}
	}
}

// TestAMemoryOverManyChanges changes a file again and again. Each time what a reader with a memory makes of it is
// what one without does, and no prober is closed of what runs.
func TestAMemoryOverManyChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		w, r := newWildFile(seed), newReading(t)
		var running map[string]*probe.Probe
		for range 12 {
			for range 1 + w.IntN(3) {
				w.change()
			}
			text := w.text()
			for len(text) < greatFile {
				w.elements = append(w.elements, w.element())
				text = w.text()
			}
			c := r.read(text)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			if c.Set == nil {
				w.mend(c)
				continue
			}
			running = apply(running, c.Set)
			for name, p := range running {
				if p.Prober.(*fakeProber).closed {
					t.Fatalf("seed %d: the prober of %s is closed, and it runs", seed, name)
				}
			}
		}
	}
}

// apply makes a set the running one as the scheduler does.
func apply(running map[string]*probe.Probe, set *Set) map[string]*probe.Probe {
	next := map[string]*probe.Probe{}
	for _, p := range set.Probes {
		next[p.Name] = p
		if old := running[p.Name]; old != nil && old != p {
			if old.Digest == p.Digest {
				next[p.Name], old = old, p
			}
			closeAll([]*probe.Probe{old})
		}
	}
	for name, old := range running {
		if next[name] == nil {
			closeAll([]*probe.Probe{old})
		}
	}
	return next
}
