package main

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/metrics"
	"sonde/probe/shard"
	"sonde/probe/status"
)

// asked is a server that keeps which paths it was asked for.
type asked struct {
	*httptest.Server
	paths sync.Map
}

func newAsked(t *testing.T) *asked {
	a := &asked{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { a.paths.Store(r.URL.Path, true) }))
	t.Cleanup(a.Close)
	return a
}

// TestThreeShardsRunEachProbe: three processes over one file probe everything, and each probe is run by as
// many of them as it should; the targets of one probe are spread. No process has a series of another's.
func TestThreeShardsRunEachProbe(t *testing.T) {
	t.Parallel()
	web := newAsked(t)
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, file, `
defaults: {interval: 1s}
probes:
  - {name: one, targets: [a, b, c, d, e, f, g, h], http: {url: "`+web.URL+`/one/{{target}}"}}
  - {name: two, replication: 2, targets: [a, b, c, d], http: {url: "`+web.URL+`/two/{{target}}"}}
  - {name: all, replication: 9, http: {url: "`+web.URL+`/all"}}
`)
	replication := map[string]int{"all": 9}
	for _, target := range "abcdefgh" {
		replication["one."+string(target)] = 1
	}
	for _, target := range "abcd" {
		replication["two."+string(target)] = 2
	}
	owners, want := map[string][]int{}, map[string][]int{}
	for i := range 3 {
		s, url := startRun(t, "--log.level=debug", fmt.Sprintf("--shard=%d/3", i), file)
		_, text := call(t, "GET", url+"/metrics")
		for name := range replication {
			if strings.Contains(text, fmt.Sprintf("{probe=%q", name)) {
				owners[name] = append(owners[name], i)
				s.err.await(t, `msg="probe is up" probe=`+name)
			}
		}
	}
	for name, r := range replication {
		want[name] = slices.Sorted(slices.Values(shard.Owners(name, r, 3)))
		if _, ok := web.paths.Load("/" + strings.ReplaceAll(name, ".", "/")); !ok {
			t.Errorf("%s was not probed", name)
		}
	}
	if diff := cmp.Diff(want, owners); diff != "" {
		t.Errorf("who has series of what (-want +got):\n%s", diff)
	}
}

// TestRunSaysWhoseAProbeIs, on the page and in the metrics.
func TestRunSaysWhoseAProbeIs(t *testing.T) {
	t.Parallel()
	web := newAsked(t)
	s, url := startRun(t, "--shard=1/3", probesFile(t, "home="+web.URL, "shop-home="+web.URL, "orders-create="+web.URL))
	s.err.await(t, `msg="configuration loaded" .*probes=1 change="shard 1/3: 1 of 3 probes; 1 added, 0 changed, 0 removed, 0 unchanged"`)
	if got := metric(t, url, `sonde_shards{shard="1"}`); got != "3" {
		t.Errorf("sonde_shards of shard 1 is %s, want 3", got)
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/":                   {200, "shard 1/3: 1 of 3 probes"},
		"/?probe=shop-home":   {200, "shop-home"},
		"/?probe=home":        {404, "home runs on shard 2/3"},
		"/metrics?probe=home": {404, `the probe "home" runs on shard 2/3, and not here`},
		"/?probe=hom":         {404, "There is no probe hom"},
	} {
		if status, page := call(t, "GET", url+path); status != want.status || !strings.Contains(page, want.text) {
			t.Errorf("%s answers %d, want %d and %q:\n%s", path, status, want.status, want.text, page)
		}
	}
}

// TestAShardWithoutProbes is ready and says that it has none; a reload gives it some, and takes them.
func TestAShardWithoutProbes(t *testing.T) {
	t.Parallel()
	web := newAsked(t)
	file := probesFile(t, "home="+web.URL)
	s, url := startRun(t, "--shard=0/2", file)
	s.err.await(t, `level=WARN .*msg="this shard has no probe`)
	if status, _ := call(t, "GET", url+"/-/ready"); status != 200 {
		t.Errorf("a shard without probes answers %d to /-/ready, want 200", status)
	}
	if _, page := call(t, "GET", url); !strings.Contains(page, "This shard has no probe") {
		t.Errorf("the page does not say that the shard has no probe:\n%s", page)
	}
	// The file is watched, too: whoever is first loads it, and of two reloads the later one changes nothing.
	reload := func(part, change string) {
		t.Helper()
		status, got := call(t, "POST", url+"/-/reload")
		s.err.await(t, regexp.QuoteMeta(`msg="configuration loaded"`)+".*"+regexp.QuoteMeta(`change="`+part+"; "+change+`"`))
		if got = strings.TrimSpace(got); status != 200 || got != part+"; "+change && got != part+"; nothing changed: 1 probe" {
			t.Errorf("a reload answers %d, %q; want %q and what changed", status, got, part)
		}
	}
	put(t, file, probesText("home="+web.URL, "orders-create="+web.URL))
	reload("shard 0/2: 1 of 2 probes", "1 added, 0 changed, 0 removed, 0 unchanged")
	if home, orders := metric(t, url, `sonde_runs_total{probe="home"}`), metric(t, url, `sonde_runs_total{probe="orders-create"}`); home != "absent" || orders == "absent" {
		t.Errorf("sonde_runs_total is %s of home and %s of orders-create, want the latter alone", home, orders)
	}
	reload("shard 0/2: 1 of 2 probes", "nothing changed: 1 probe")
	put(t, file, strings.ReplaceAll(probesText("home="+web.URL), "{name: home", "{name: home, replication: 3"))
	reload("shard 0/2: 1 of 1 probe", "1 added, 0 changed, 1 removed, 0 unchanged")
	s.err.await(t, `level=WARN .*msg="probes have a replication above the number of shards, and run on all of them" probes=1 first=home shards=2`)
}

// TestAShardForgetsOthersProbers: what is remembered of a great file for the next reload has no prober of what
// others run, and what this one runs goes on as it was, also when others' probes become its own.
func TestAShardForgetsOthersProbers(t *testing.T) {
	t.Parallel()
	network := conn.New(conn.Options{})
	defer network.Close()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	src := sourceOf(fileFlags{}, []string{file}, network)
	board, recorder := status.New("test"), metrics.New(metrics.Build{})
	v := &divider{shard: shard.Shard{Index: 0, Count: 4}, board: board, metrics: recorder, log: slog.New(slog.DiscardHandler)}
	load := func(text string) (own, others map[string]*probe.Probe) {
		t.Helper()
		put(t, file, text)
		set, err := src.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all := set.Probes
		v.divide(set)
		own, others = map[string]*probe.Probe{}, map[string]*probe.Probe{}
		for _, p := range set.Probes {
			if own[p.Name] = p; p.Prober == nil {
				t.Errorf("%s has no prober", p.Name)
			}
		}
		for _, p := range all {
			if own[p.Name] != nil {
				continue
			}
			if others[p.Name] = p; p.Prober != nil {
				t.Errorf("%s is another's, and has a prober", p.Name)
			}
		}
		return own, others
	}
	text := string(manyProbes(2000))
	own, others := load(text)
	again, _ := load(text)
	for name, p := range own {
		if again[name] != p {
			t.Errorf("%s is another probe after a reload of the same file", name)
		}
	}
	// The first of the others' becomes one of ours, and then is theirs again.
	name := slices.Sorted(maps.Keys(others))[0]
	for _, replication := range []int{4, 4, 1, 4} {
		own, _ = load(strings.Replace(text, "{name: "+name+",", fmt.Sprintf("{name: %s, replication: %d,", name, replication), 1))
		if got := own[name] != nil; got != (replication == 4) {
			t.Errorf("with replication %d of 4, %s is ours: %v", replication, name, got)
		}
	}
}

func TestWhose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		replication, shards int
		want                string
	}{
		{1, 1, "shard 0/1"}, {1, 8, "shard 2/8"}, {2, 8, "shards 2/8 and 6/8"}, {3, 8, "shards 1/8, 2/8 and 6/8"},
		{8, 8, "all 8 shards"}, {9, 8, "all 8 shards"}, {0, 8, "shard 2/8"},
	} {
		if got := whose("home", c.replication, c.shards); got != c.want {
			t.Errorf("replication %d on %d: got %q, want %q", c.replication, c.shards, got, c.want)
		}
	}

}

// A host's name may be a whole one, and POD_NAME comes first.
func TestPodName(t *testing.T) {
	t.Setenv("POD_NAME", "sonde-3")
	if name, from := podName(); name != "sonde-3" || from != "POD_NAME" {
		t.Errorf("got %q from %s, want sonde-3 from POD_NAME", name, from)
	}
	t.Setenv("POD_NAME", "")
	if name, from := podName(); strings.Contains(name, ".") || from != "the host's name" {
		t.Errorf("got %q from %s, want the first label of the host's name", name, from)
	}
}
