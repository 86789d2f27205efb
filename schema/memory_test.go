package schema

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// reading is a great file that is read again and again, each time with a memory and without.
type reading struct {
	t      *testing.T
	path   string
	memory Memory
	lean   Memory
}

func newReading(t *testing.T) *reading {
	return &reading{t: t, path: filepath.Join(t.TempDir(), "probes.yaml"), lean: Memory{Lean: true}}
}

// read reads a text. It must come to what a reader without a memory makes of it, and so must one that reads
// on all cores, with what it remembers and at first.
func (r *reading) read(text string) *Checked {
	r.t.Helper()
	if len(text) < greatFile {
		r.t.Fatalf("the text has %d bytes, want those of a great file", len(text))
	}
	if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	got, err := r.memory.Check(System(), []string{r.path}, fakeKinds())
	if err != nil {
		r.t.Fatal(err)
	}
	want, err := System().Check([]string{r.path}, fakeKinds())
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(outcomeOf(want), outcomeOf(got)); diff != "" {
		r.t.Errorf("-without a memory +with one:\n%s", diff)
	}
	for name, m := range map[string]*Memory{"that remembers": &r.lean, "at first": {Lean: true}} {
		lean, err := m.Check(System(), []string{r.path}, fakeKinds())
		if err != nil {
			r.t.Fatal(err)
		}
		if diff := cmp.Diff(outcomeOf(want), outcomeOf(lean)); diff != "" {
			r.t.Errorf("-without a memory +with a lean one %s:\n%s", name, diff)
		}
	}
	return got
}

// outcome is what is to be the same with a memory and without.
type outcome struct {
	Problems, Warnings []string
	Names, Digests     []string
	Reach              Reach
	Hash               string
}

func outcomeOf(c *Checked) outcome {
	o := outcome{Reach: c.Reach}
	for _, p := range c.Problems {
		o.Problems = append(o.Problems, p.String())
	}
	for _, p := range c.Warnings {
		o.Warnings = append(o.Warnings, p.String())
	}
	if c.Set == nil {
		return o
	}
	o.Hash = c.Set.Hash
	for _, p := range c.Set.Probes {
		o.Names, o.Digests = append(o.Names, p.Name), append(o.Digests, p.Digest)
	}
	return o
}

// same is how many probes of two sets are the very same.
func same(a, b *Set) (n int) {
	were := map[*probe.Probe]bool{}
	for _, p := range a.Probes {
		were[p] = true
	}
	for _, p := range b.Probes {
		if were[p] {
			n++
		}
	}
	return n
}

func TestWhatHasNotChangedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	const many = 1000
	text := string(manyProbes(many))
	r := newReading(t)
	first := r.read(text)
	if n := same(first.Set, r.read(text).Set); n != many {
		t.Errorf("%d of %d probes are the same after nothing has changed", n, many)
	}
	changed := strings.Replace(text, "host-500.", "other.", 1)
	second := r.read(changed)
	if n := same(first.Set, second.Set); n == many || n < many-10*pieceSize {
		t.Errorf("%d of %d probes are the same after one has changed", n, many)
	}
	begin := strings.Index(changed, "  # The 300th")
	third := r.read(changed[:begin] + "  - {name: new, fake: {address: 'new:1'}}\n" + changed[begin:])
	if n := same(second.Set, third.Set); n < many-10*pieceSize {
		t.Errorf("%d of %d probes are the same after one was put in", n, many)
	}
	r.read(text[:begin] + text[strings.Index(text, "  # The 302th"):])
	for _, p := range third.Set.Probes {
		if p.Prober.(*fakeProber).closed {
			t.Fatalf("the prober of %s is closed", p.Name)
		}
	}
}

// TestAMemoryHidesNothing: what is wrong, or looks wrong, is said as by a reader that reads all, and a set
// that is refused harms none that runs.
func TestAMemoryHidesNothing(t *testing.T) {
	t.Parallel()
	text := string(manyProbes(250))
	r := newReading(t)
	runs := r.read(text)
	for name, change := range map[string][2]string{
		"a problem":                {"host-125.example.com:443", "no address"},
		"a misspelt key":           {"group: shop", "grupp: shop"},
		"a name that is taken":     {"- name: probe-249", "- name: probe-3"},
		"a name taken before":      {"- name: probe-3\n", "- name: probe-249\n"},
		"a key twice":              {"host-19.example.com:443\n", "host-19.example.com:443\n      address: x:1\n"},
		"a budget of one's own":    {"host-249.example.com:443\n", "host-248.example.com:443\n    deadline: 10s\n"},
		"a bound of one's own":     {"host-249.example.com:443\n", "host-248.example.com:443\n    connection: {per_host: 2}\n"},
		"another default":          {"team: core", "team: other"},
		"a default that is wrong":  {"total: 10s", "total: ten"},
		"a warning":                {"address: host-150.example.com:443\n", "address: host-150.example.com:443\n    timeout: {connect: 1h}\n"},
		"much for one host":        {"interval: 30s\n    labels: {tier: \"1\"}\n    retry: {attempts: 3, backoff: {cap: 2s}}\n    fake:\n      address: host-5.", "interval: 100ms\n    fake:\n      address: host-6."},
		"no YAML":                  {"host-200.example.com:443\n", "host-200.example.com:443\n  ]\n"},
		"a list that goes on":      {"  # The 100th", "x-more: 1\n  # The 100th"},
		"a secret":                 {"{Accept: text/html, X-Probe: \"9\"}", "{Accept: \"${NO_SUCH_VARIABLE_HERE}\"}"},
		"a probe that is disabled": {"  - name: probe-62\n", "  - name: probe-62\n    enabled: false\n"},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("%s: nothing was changed", name)
		}
		t.Logf("%s: %d problems", name, len(r.read(changed).Problems))
		r.read(text)
	}
	for _, p := range runs.Set.Probes {
		if p.Prober.(*fakeProber).closed {
			t.Fatalf("the prober of %s is closed", p.Name)
		}
	}
}

// TestAMemoryKnowsWhereThingsStand: what is said beside probes that were not read again stands where it would
// if they had been.
func TestAMemoryKnowsWhereThingsStand(t *testing.T) {
	t.Parallel()
	const address = "host-%d.example.com:443\n"
	busy := strings.NewReplacer(fmt.Sprintf(address, 3), fmt.Sprintf(address, 200), "probe-200\n    group: shop\n    interval: 30s", "probe-200\n    interval: 100ms").
		Replace(string(manyProbes(250)))
	r := newReading(t)
	if warned := r.read(busy).Warnings; len(warned) != 1 {
		t.Fatalf("got %v, want a warning of the host", warned)
	}
	r.read(strings.Replace(busy, "name: probe-3\n    group: shop\n", "name: probe-3\n    group: other\n", 1))

	plain := string(manyProbes(250))
	r.read(plain)
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	if wrong := r.read(strings.Replace(plain, "name: probe-249\n", "name: probe-249\n    description: "+deep+"\n", 1)).Problems; len(wrong) != 1 {
		t.Errorf("got %v, want what is nested too deeply", wrong)
	}
}

// TestAMemoryKnowsWhatIsUsed: a profile that only probes of old use is used, and one that nobody uses any more
// is not.
func TestAMemoryKnowsWhatIsUsed(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	plain := string(manyProbes(250))
	text := "profiles: {web: {deadline: 20s}}\n" + strings.Replace(plain, "    group: shop\n", "    use: web\n", 1)
	first := r.read(text)
	second := r.read(strings.Replace(text, "host-200.", "other.", 1))
	if n := same(first.Set, second.Set); n < 250-10*pieceSize || len(second.Warnings) > len(first.Warnings) {
		t.Errorf("%d of 250 probes are the same after one has changed, with the warnings %v", n, second.Warnings)
	}
	r.read("profiles: {web: {deadline: 20s}}\n" + plain)
}

// TestAMemoryKnowsTheFilesOfBlocks: probes whose blocks name files that have not changed are not read again, and
// those files are watched all the same. Those of a file that has changed are.
func TestAMemoryKnowsTheFilesOfBlocks(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(r.path), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.pem", "one")
	write("b.pem", "one")
	text := string(manyProbes(250))
	for i := range 250 {
		host := fmt.Sprintf("host-%d.example.com:443\n", i)
		text = strings.Replace(text, host, host+"      tls: {key_file: k, cert_file: "+map[bool]string{true: "a", false: "b"}[i < 125]+".pem}\n", 1)
	}
	first := r.read(text)
	if n := same(first.Set, r.read(text).Set); n != 250 {
		t.Errorf("%d of 250 probes are the same after nothing has changed", n)
	}
	if n := len(r.memory.files[r.path].pieces); n < 250/pieceSize {
		t.Errorf("%d pieces are remembered, want all", n)
	}
	write("b.pem", "two")
	second := r.read(text)
	if n := same(first.Set, second.Set); n < 125-pieceSize || n > 125 {
		t.Errorf("%d of 250 probes are the same after the file of the other half has changed, want about the first 125", n)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(r.path), "b.pem")); err != nil {
		t.Fatal(err)
	}
	r.read(text)
	write("b.pem", "two")
	r.read(text)
}

// TestAMemoryDependsOnTheTextAlone: what was filled in, or stands in another file, is looked at each time.
func TestAMemoryDependsOnTheTextAlone(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(manyProbes(250)), "host-125.example.com:443\n", "host-125.example.com:443\n      password: '${file:key}'\n", 1)
	r := newReading(t)
	key := filepath.Join(filepath.Dir(r.path), "key")
	var digests [2]string
	for i, secret := range []string{"12345678", "12345679"} {
		if err := os.WriteFile(key, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		digests[i] = r.read(text).Set.Probes[125].Digest
	}
	if digests[0] == digests[1] {
		t.Error("a secret has changed, and its probe has not")
	}
	included := "include: more.yaml\n" + strings.Replace(string(manyProbes(250)), "    group: shop\n", "    use: web\n", 1)
	for _, interval := range []string{"1m", "2m"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(r.path), "more.yaml"), []byte("profiles: {web: {deadline: "+interval+"}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r.read(included)
	}
	if err := os.Remove(r.path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.memory.Check(System(), []string{r.path}, fakeKinds()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a file that is gone: %v", err)
	}
}

// TestAMemoryKnowsWhoSendsMost: a host's load is warned of where most of it comes from, be that read again or not,
// and before what is read again or after it.
func TestAMemoryKnowsWhoSendsMost(t *testing.T) {
	t.Parallel()
	busy := func(text string, probe int, interval string) string {
		at := strings.Index(text, fmt.Sprintf("- name: probe-%d\n", probe))
		return text[:at] + strings.NewReplacer("attempts: 3, backoff: {cap: 2s}", "attempts: 100, backoff: {base: 0s, jitter: 0s}",
			"interval: 30s", "interval: "+interval, fmt.Sprintf("host-%d.", probe), "host.").Replace(text[at:at+300]) + text[at+300:]
	}
	for _, order := range [][2]int{{20, 220}, {220, 20}} {
		for most, intervals := range map[string][2]string{"recalled": {"30s", "12s"}, "read": {"12s", "30s"}} {
			r := newReading(t)
			before := busy(string(manyProbes(250)), order[1], intervals[1])
			if c := r.read(before); len(c.Warnings) > 0 {
				t.Fatalf("%v, most of it %s: %v", order, most, c.Warnings)
			}
			if c := r.read(busy(before, order[0], intervals[0])); len(c.Warnings) != 1 {
				t.Errorf("%v, most of it %s: %d warnings, want that of the load", order, most, len(c.Warnings))
			}
		}
	}
}
