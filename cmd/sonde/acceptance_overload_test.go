package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// The numbers of the overload: how many endpoints of each sort are asked once a second, and for how long.
const (
	overloadHealthy = 120
	overloadOther   = 5 // of each sort that is not healthy
	overloadLasts   = 15 * time.Second
)

// TestAcceptanceOverload runs the real binary while two and four times as many processes as there are processors do
// nothing but spin, and its targets, which are a process of their own, compete with it and them. It asserts:
//
//   - No run of a healthy endpoint is down, ever: it passes, or it is unknown, or it is skipped and counted.
//   - The runs, unknown and skipped ones included, are as many as were due: nothing is lost unseen.
//   - Nothing that is not healthy is ever up.
//   - An endpoint that refuses is down in most runs, since that takes no waiting.
//   - Endpoints that are silent, or slower than the deadline, are down in at least a third of the runs that have
//     ended: a process that gets no processor cannot always tell their silence from its own, and says then that it
//     does not know. How many it was is logged.
func TestAcceptanceOverload(t *testing.T) {
	if os.Getenv("SONDE_ACCEPTANCE") == "" {
		t.Skip("SONDE_ACCEPTANCE is not set; .ci/run sets it")
	}
	binary := buildSonde(t, t.TempDir())
	t.Run("http1", func(t *testing.T) {
		servers := strings.Fields(startHelper(t, "overload-server"))
		o := overload{binary: binary, target: "http://" + servers[0] + "/", file: overloadFile(servers[0], servers[1], servers[2]), busy: 2, healthy: map[string]int{"healthy": overloadHealthy}}
		o.run(t)
	})
	t.Run("streams", func(t *testing.T) {
		servers := strings.Fields(startHelper(t, "overload-streams"))
		file, healthy := overloadStreamsFile(servers[0], servers[1], servers[2])
		o := overload{binary: binary, target: "https://" + servers[0] + "/", file: file, busy: 4, healthy: healthy}
		o.run(t)
	})
}

// overload is one trial.
type overload struct {
	binary, file string
	target       string         // the URL of a healthy endpoint
	busy         int            // processes that spin, for each processor
	healthy      map[string]int // how many endpoints of each sort that is healthy are asked
	told         bytes.Buffer   // what the program has logged
}

// overloadAnswers is how late the answers of a healthy target may be, as a bare client sees them: half of what
// a run has for all its attempts.
const overloadAnswers = 450 * time.Millisecond

// run is up to three rounds. One that is not as it should be does not count where a bare client beside sonde has
// seen that the targets themselves did not get on, since somebody else keeps the machine busy, too. One has to count.
func (o *overload) run(t *testing.T) {
	for round := 1; round <= 3; round++ {
		var amiss []string
		var slowest time.Duration
		t.Run(fmt.Sprint("round", round), func(t *testing.T) { amiss, slowest = o.round(t) })
		t.Logf("round %d: the slowest answer that a bare client got took %v", round, slowest)
		if len(amiss) > 0 && slowest > overloadAnswers {
			t.Logf("it does not count: %q", amiss)
			continue
		}
		for _, what := range amiss {
			t.Error(what)
		}
		return
	}
	t.Skip("this machine is too busy for a trial of what sonde says under load")
}

// round runs the program, first at peace and then under the load, and says what is amiss.
func (o *overload) round(t *testing.T) (amiss []string, slowest time.Duration) {
	file := t.TempDir() + "/overload.yaml"
	if err := os.WriteFile(file, []byte(o.file), 0o600); err != nil {
		t.Fatal(err)
	}
	web := freeAddresses(t, 1)[0]
	o.told.Reset()
	sonde := startTo(t, &o.told, o.binary, "run", "--config.file="+file, "--web.listen-address="+web, "--log.format=json", "--log.level=warn")
	eventually(t, "sonde", answers("http://"+web+"/-/ready"))
	eventually(t, "the first runs", func() string {
		want := 0
		for _, n := range o.healthy {
			want += n
		}
		if n := total(scrape(t, "http://"+web+"/metrics"), "sonde_runs_total"); n < float64(want) {
			return fmt.Sprintf("%v runs, want %d", n, want)
		}
		return ""
	})
	before := overloadOf(t, web)
	began := time.Now()
	for range o.busy * runtime.NumCPU() {
		startHelper(t, "busy-loop")
	}
	slowest = slowestAnswer(t, o.target, overloadLasts)
	after := overloadOf(t, web)
	lasted := time.Since(began)
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
	amiss = o.judge(t, before, after, lasted)
	o.tell(t)
	return amiss, slowest
}

// slowestAnswer asks a target ten times a second for so long, and returns how long the slowest answer took.
func slowestAnswer(t *testing.T, url string, long time.Duration) (slowest time.Duration) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < long; {
		asked := <-tick.C
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		slowest = max(slowest, time.Since(asked))
	}
	return slowest
}

func (o *overload) judge(t *testing.T, before, after map[string]outcomes, lasted time.Duration) (amiss []string) {
	for sort, now := range after {
		got := now.since(before[sort])
		t.Logf("%s: %+v in %v", sort, got, lasted)
		if n, ok := o.healthy[sort]; ok {
			amiss = append(amiss, got.judgeHealthy(sort, float64(n)*(lasted.Seconds()-2))...)
			continue
		}
		share := 3.0
		if sort == "refusing" {
			share = 2
		}
		if all := got.runs + got.unknown; got.down < all/share {
			amiss = append(amiss, fmt.Sprintf("%v of %v runs of %s endpoints are down, want one in %v at least", got.down, all, sort, share))
		}
		if got.runs != got.down {
			amiss = append(amiss, fmt.Sprintf("%v runs of %s endpoints have passed, want none", got.runs-got.down, sort))
		}
	}
	return amiss
}

func (o outcomes) judgeHealthy(sort string, due float64) (amiss []string) {
	if o.down > 0 {
		amiss = append(amiss, fmt.Sprintf("%v runs of %s endpoints are down, want none", o.down, sort))
	}
	if all := o.runs + o.unknown + o.skipped; all < due {
		amiss = append(amiss, fmt.Sprintf("%v runs of %s endpoints are counted, skipped ones included, want %v at least", all, sort, due))
	}
	return amiss
}

// tell logs why runs were down or unknown, and each line of a healthy endpoint that was down.
func (o *overload) tell(t *testing.T) {
	counts := map[string]int{}
	for line := range strings.Lines(o.told.String()) {
		var said struct{ Probe, Verdict, Reason, Stop string }
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.Verdict == "" {
			continue
		}
		sort := sortOf(said.Probe)
		counts[fmt.Sprintf("%s %s: %s, stop %s", sort, said.Verdict, said.Reason, said.Stop)]++
		if _, ok := o.healthy[sort]; ok && said.Verdict == "down" {
			t.Log(strings.TrimSpace(line))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[what], what)
	}
}

// sortOf is the name of a probe without its number.
func sortOf(name string) string { return name[:max(0, strings.LastIndex(name, "-"))] }

// outcomes is what came of the runs of one sort.
type outcomes struct{ runs, down, flaky, unknown, skipped float64 }

func (o outcomes) since(b outcomes) outcomes {
	return outcomes{o.runs - b.runs, o.down - b.down, o.flaky - b.flaky, o.unknown - b.unknown, o.skipped - b.skipped}
}

// overloadOf is what has come of the runs so far, by the sort of the endpoint.
func overloadOf(t *testing.T, web string) map[string]outcomes {
	families := scrape(t, "http://"+web+"/metrics")
	all := map[string]outcomes{}
	for name, into := range map[string]func(*outcomes) *float64{
		"sonde_runs_total":         func(o *outcomes) *float64 { return &o.runs },
		"sonde_run_failures_total": func(o *outcomes) *float64 { return &o.down },
		"sonde_runs_flaky_total":   func(o *outcomes) *float64 { return &o.flaky },
		"sonde_runs_unknown_total": func(o *outcomes) *float64 { return &o.unknown },
		"sonde_runs_skipped_total": func(o *outcomes) *float64 { return &o.skipped },
	} {
		for _, m := range families[name].GetMetric() {
			sort := sortOf(labelOf(m, "probe"))
			o := all[sort]
			*into(&o) += m.GetCounter().GetValue()
			all[sort] = o
		}
	}
	return all
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// overloadFile probes each endpoint once a second.
func overloadFile(healthy, silent, slow string) string {
	var b strings.Builder
	b.WriteString("defaults: {interval: 1s, retry: {attempts: 2, backoff: {base: 50ms, jitter: 50ms}}}\nprobes:\n")
	probe := func(name, more, address string) {
		fmt.Fprintf(&b, "  - {name: %s, %shttp: {url: \"http://%s/?%s\"}}\n", name, more, address, name)
	}
	for i := range overloadHealthy {
		fresh := ""
		if i%4 == 0 {
			fresh = "connection: {reuse: false}, "
		}
		probe(fmt.Sprintf("healthy-%d", i), fresh, healthy)
	}
	for i := range overloadOther {
		probe(fmt.Sprintf("refusing-%d", i), "", closedAddress())
		probe(fmt.Sprintf("silent-%d", i), "timeout: {sock_read: 300ms}, ", silent)
		probe(fmt.Sprintf("mute-%d", i), "", silent) // until the deadline
		probe(fmt.Sprintf("slow-%d", i), "", slow)
	}
	return b.String()
}
