package probe_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the path that all packages of this module begin with.
const module = "sonde/"

// imports is the graph of the house: each package, and which of the others it may import. A package
// that is not here is a room that nobody has planned: give it a row, and doc.go a line.
var imports = map[string][]string{
	"probe/retry":         {},
	"probe":               {"probe/retry"},
	"probe/conn":          {"probe", "probe/retry", "probe/conn/dns"},
	"probe/conn/dns":      {"probe"},
	"probe/conn/memnet":   {}, // a network in memory, for tests alone
	"probe/kinds":         {"probe", "probe/conn"},
	"probe/script":        {"probe", "probe/retry", "probe/conn"},
	"probe/schedule":      {"probe", "probe/retry"},
	"probe/metrics":       {"probe", "probe/retry", "probe/accept"},
	"probe/status":        {"probe", "probe/retry", "probe/accept"},
	"probe/accept":        {},
	"probe/plan":          {"probe", "probe/retry"},
	"probe/shard":         {},
	"probe/tale":          {"probe", "probe/retry"},
	"schema":              {"probe", "probe/retry"},
	"schema/report":       {"probe", "schema", "schema/report/junit"},
	"schema/report/junit": {},
	"cmd/sonde": {
		"probe", "probe/retry", "probe/conn", "probe/kinds", "probe/schedule", "probe/script", "probe/metrics", "probe/status",
		"probe/plan", "probe/shard", "probe/tale",
		"schema", "schema/report", "schema/report/junit",
	},
	"cmd/gendocs":       {"probe/kinds", "probe/script", "cmd/gendocs/pages"},
	"cmd/gendocs/pages": {"probe", "probe/retry", "probe/metrics", "schema"},
	"cmd/bench":         {"probe"},
}

// What a ban may name: a path, or with /... all paths below it too.
const (
	prometheus = "github.com/prometheus/..."
	validator  = "github.com/go-playground/validator/..."
	logging    = "log/..."
)

var yaml = []string{"gopkg.in/yaml.v3", "go.yaml.in/..."}

// bans are what a package must not reach, by however long a road, and why.
var bans = []struct {
	from    string
	reach   []string
	because string
}{
	{"probe/retry", []string{"net/...", logging, "os/exec", prometheus},
		"the engine is told what came of an attempt; what failed, who counts and who logs is not its business"},
	{"probe", append([]string{"net/http", validator, prometheus, "sonde/probe/kinds", "sonde/probe/conn"}, yaml...),
		"the centre must be readable without knowing any edge"},
	{"probe/conn", append([]string{"sonde/schema", "sonde/probe/kinds", validator, prometheus}, yaml...),
		"connections know neither what is declared nor what is counted"},
	{"probe/conn/dns", []string{"sonde/probe/conn", "net/http", "crypto/tls", logging},
		"it says what a name stands for, whoever asks and whatever for"},
	{"probe/kinds", append([]string{"sonde/schema", "sonde/probe/schedule", validator, prometheus}, yaml...),
		"a kind makes one attempt; the tags on its settings are plain strings"},
	{"probe/script", append([]string{"sonde/schema", "sonde/probe/kinds", "sonde/probe/schedule", validator, prometheus, "testing/..."}, yaml...),
		"it stands below the kinds, in the place of the network, and is part of the program"},
	{"probe/schedule", []string{"sonde/schema", "sonde/probe/kinds", "net/...", logging, prometheus},
		"it moves time and nothing else, so that it can be tested in virtual time"},
	{"probe/metrics", []string{"sonde/schema", "sonde/probe/kinds", "sonde/probe/schedule", "sonde/probe/status"},
		"a sink counts what it is told; its label values come from closed sets"},
	{"probe/status", []string{"sonde/schema", "sonde/probe/kinds", "sonde/probe/schedule", "sonde/probe/metrics", prometheus},
		"a sink shows what it is told, and the page shows results, not metrics"},
	{"probe/accept", []string{"net/...", logging, prometheus},
		"it reads lines of text, whoever has them"},
	{"probe/plan", append([]string{"sonde/schema", "sonde/probe/kinds", "sonde/probe/metrics", "net/...", logging, prometheus}, yaml...),
		"it reckons with policies and limits, whatever the file and the kind are"},
	{"probe/shard", append([]string{"net/...", "math/rand/...", logging, prometheus}, yaml...),
		"who runs a probe follows from its name alone: no chance, no machine"},
	{"probe/tale", append([]string{"sonde/schema", "sonde/probe/kinds", "sonde/probe/conn", "net/http", logging, prometheus}, yaml...),
		"it tells of any kind by what probe.Attempt holds, and draws nothing"},
	{"schema", []string{"sonde/probe/kinds", "net/http", prometheus},
		"kinds are given to it, so that a test can give it one of its own"},
	{"schema/report", []string{"sonde/probe/kinds", "net/http", prometheus},
		"it writes what schema found, and knows no way to probe and no way to send"},
	{"schema", []string{"go/...", "text/template"},
		"what makes pages of the language is cmd/gendocs/pages, from schema.Describe and schema.ShapeOf"},
	{"cmd/sonde", []string{"testing/...", "github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/...", "go.uber.org/goleak"},
		"the program holds no test code"},
}

func TestEachPackageImportsOnlyItsNeighbours(t *testing.T) {
	t.Parallel()
	for pkg, imported := range graph(t) {
		room, ours := strings.CutPrefix(pkg, module)
		if !ours {
			continue
		}
		allowed, planned := imports[room]
		if !planned {
			t.Errorf("package %s has no row in the table of imports: give it one, and doc.go a line", room)
			continue
		}
		for _, i := range imported {
			if other, ours := strings.CutPrefix(i, module); ours && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s; it may import %v of ours", room, other, allowed)
			}
		}
	}
}

func TestWhatAPackageMustNotReach(t *testing.T) {
	t.Parallel()
	g := graph(t)
	for _, ban := range bans {
		roads := g.roads(module + ban.from)
		for reached, road := range roads {
			if slices.ContainsFunc(ban.reach, func(pattern string) bool { return covers(pattern, reached) }) {
				t.Errorf("%s reaches %s by %s, but %s", ban.from, reached, strings.Join(road, " > "), ban.because)
			}
		}
	}
}

// TestTheProgramReadsNoGoSource holds what makes pages from comments out of the program. A ban cannot: libraries
// reach go/... on roads of their own, kong to lay out help and expfmt by a generator that it never calls.
func TestTheProgramReadsNoGoSource(t *testing.T) {
	t.Parallel()
	g := graph(t)
	for pkg, road := range g.roads(module + "cmd/sonde") {
		for _, i := range g[pkg] {
			if strings.HasPrefix(pkg, module) && covers("go/...", i) {
				t.Errorf("%s imports %s, and cmd/sonde reaches it by %s; what reads Go source belongs to cmd/gendocs/pages", pkg, i, strings.Join(road, " > "))
			}
		}
	}
}

// TestTheBansBite tries the two functions that the bans stand on, because a ban that nothing could
// break would look just like one that holds.
func TestTheBansBite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, pkg string
		want         bool
	}{
		{"net/...", "net", true}, {"net/...", "net/http", true}, {"net/...", "network", false},
		{"net/http", "net/http", true}, {"net/http", "net/http/httptrace", false},
		{prometheus, "github.com/prometheus/client_golang/prometheus", true},
	} {
		if got := covers(c.pattern, c.pkg); got != c.want {
			t.Errorf("%s covers %s: %v, want %v", c.pattern, c.pkg, got, c.want)
		}
	}
	road := packages{"a": {"b"}, "b": {"a", "c"}}.roads("a")["c"]
	if want := []string{"a", "b", "c"}; !slices.Equal(road, want) {
		t.Errorf("the road from a to c is %v, want %v", road, want)
	}
}

// covers reports whether the ban's pattern names the package.
func covers(pattern, pkg string) bool {
	below, tree := strings.CutSuffix(pattern, "/...")
	return pkg == below || tree && strings.HasPrefix(pkg, below+"/")
}

// packages is who imports whom, tests left out.
type packages map[string][]string

// roads is every package that can be reached from one, each with a shortest road to it.
func (g packages) roads(from string) map[string][]string {
	roads := map[string][]string{from: {from}}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, i := range g[next[0]] {
			if roads[i] == nil {
				roads[i] = append(slices.Clone(roads[next[0]]), i)
				next = append(next, i)
			}
		}
	}
	return roads
}

// graph asks the go command for all packages of this module and all that they stand on.
func graph(t *testing.T) packages {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Imports", "./...")
	list.Dir = ".." // the root of the module
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", list, err, stderr(err))
	}
	g := packages{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("reading what %v wrote: %v", list, err)
		}
		g[p.ImportPath] = p.Imports
	}
	if g[module+"probe"] == nil {
		t.Fatalf("%v names %d packages, but not %sprobe", list, len(g), module)
	}
	return g
}

func stderr(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}
