package schema

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzMemory edits a great file at random, and reads it after each edit with a memory and without.
func FuzzMemory(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := newReading(t)
		for name, text := range map[string]string{
			"more.yaml":    "profiles: {more: {deadline: 20s}}\nprobes:\n- {name: included, fake: {address: 'a:1'}}\n",
			"targets.json": `[{"targets": ["a:1", "b:2"]}]`,
			"key":          "a key\n",
		} {
			if err := os.WriteFile(filepath.Join(filepath.Dir(r.path), name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e := newEdited(seed)
		good := e.clone()
		for range 8 {
			e.edit()
			if c := r.read(e.text()); len(c.Problems) == 0 {
				good = e.clone()
			} else if e.IntN(5) > 0 {
				e = good.clone()
			}
			if t.Failed() {
				t.Fatalf("of\n%s", e.text())
			}
		}
	})
}

// edited is a file under random edits.
type edited struct {
	*rand.Rand
	above, probes, below []string
	made                 int // how many probes were put in
}

func newEdited(seed uint64) *edited {
	head, list, _ := strings.Cut(string(manyProbes(300)), "probes:\n")
	probes := strings.SplitAfter(list, "html}\n")
	return &edited{Rand: rand.New(rand.NewPCG(seed, 0)), above: []string{head}, probes: probes[:len(probes)-1]}
}

func (e *edited) clone() *edited {
	c := *e
	c.above, c.probes, c.below = slices.Clone(e.above), slices.Clone(e.probes), slices.Clone(e.below)
	return &c
}

func (e *edited) text() string {
	return strings.Join(e.above, "") + "probes:\n" + strings.Join(e.probes, "") + strings.Join(e.below, "")
}

func (e *edited) one(of []string) string { return of[e.IntN(len(of))] }

func (e *edited) edit() {
	i, j := e.IntN(len(e.probes)), e.IntN(len(e.probes))
	switch kind := e.IntN(12); {
	case kind < 5:
		e.probes = slices.Insert(e.probes, i, e.probe())
	case kind < 7 && len(e.probes) > 280:
		e.probes = slices.Delete(e.probes, i, i+1)
	case kind == 7:
		e.probes[i], e.probes[j] = e.probes[j], e.probes[i]
	case kind == 8:
		e.above = append(e.above, e.one(aboveTheList))
	case kind == 9:
		e.below = append(e.below, e.one(belowTheList))
	case kind == 10:
		e.above, e.below = e.above[:1], nil
	default:
		e.probes[i] = strings.Replace(e.probes[i], "interval: 30s", e.one([]string{"interval: 100ms", "interval: 31s", "interval: bad"}), 1)
	}
}

// probe is an element of the list, which may be wrong.
func (e *edited) probe() string {
	e.made++
	name := fmt.Sprintf("new-%d", e.made)
	if e.IntN(8) == 0 {
		name = fmt.Sprintf("probe-%d", e.IntN(300))
	}
	text := "  - name: " + name + "\n"
	for range e.IntN(3) {
		text += e.one(withinAProbe)
	}
	return text + fmt.Sprintf(e.one([]string{
		"    fake: {address: 'host-%d.example.com:443'}\n", "    fake: {address: 'host-%d.example.com:443'}\n",
		"    fake: {address: 'host-%d.example.com:443', password: '${file:key}'}\n", "    fake: {address: '%d'}\n",
	}), e.IntN(10))
}

var (
	withinAProbe = []string{
		"    group: shop\n", "    enabled: false\n", "    use: web\n", "    use: more\n", "    use: each\n    targets: [{name: a, x: p}, {name: b, x: q}]\n",
		"    interval: 100ms\n", "    retry: {budget: {ratio: 0.1}}\n", "    timeout: {connect: 1h}\n", "    targets_from: {file: targets.json}\n",
		"    grup: x\n", "    labels: &l {a: c}\n", "    labels: *l\n", "    retry: *r\n", "    <<: *m\n", "    deadline: 2s\n", "\n\n", "# none\n",
		"    description: |\n      text\n      - name: x\n\n      # no comment\n", "    description: \"a\n      - name: b\n      c\"\n",
		"    description: " + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "\n",
	}
	aboveTheList = []string{
		"profiles: {web: {deadline: 20s}, each: {fake: {headers: {X: '{{target.x}}'}}}, unused: {interval: 5m}}\n", "profiles: {web: {fake: {password: '${file:key}'}}}\n",
		"include: more.yaml\n", "x-r: &r {attempts: 2}\n", "x-m: &m {group: z}\n", "metrics: {histograms: off}\n", "# none\n", "---\n",
	}
	belowTheList = []string{"x-t: 1\n", "profiles: {more: {group: u}}\n", "...\n", "# none\n", "---\nprobes: []\n", "probes: []\n", "- x\n"}
)
