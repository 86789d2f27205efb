package main

import (
	"fmt"
	"os"
	"runtime"
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

// TestAcceptanceOverload runs the real binary while twice as many processes as there are processors do nothing but
// spin. It asserts:
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
	addresses := strings.Fields(startHelper(t, "overload-server"))
	file := t.TempDir() + "/overload.yaml"
	if err := os.WriteFile(file, []byte(overloadFile(addresses[0], addresses[1], addresses[2])), 0o600); err != nil {
		t.Fatal(err)
	}
	web := freeAddresses(t, 1)[0]
	sonde := start(t, binary, "run", "--config.file="+file, "--web.listen-address="+web, "--log.level=error")
	eventually(t, 10*time.Second, "sonde", answers("http://"+web+"/-/ready"))
	eventually(t, 10*time.Second, "the first runs", func() string {
		if n := total(scrape(t, "http://"+web+"/metrics"), "sonde_runs_total"); n < overloadHealthy {
			return fmt.Sprintf("%v runs, want %d", n, overloadHealthy)
		}
		return ""
	})
	before := overloadOf(t, web)
	began := time.Now()
	for range 2 * runtime.NumCPU() {
		startHelper(t, "busy-loop")
	}
	<-time.After(overloadLasts)
	after := overloadOf(t, web)
	lasted := time.Since(began)
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
	judgeOverload(t, before, after, lasted)
}

func judgeOverload(t *testing.T, before, after map[string]outcomes, lasted time.Duration) {
	for sort, now := range after {
		got := now.since(before[sort])
		t.Logf("%s: %+v in %v", sort, got, lasted)
		switch sort {
		case "healthy":
			if got.down > 0 {
				t.Errorf("%v runs of healthy endpoints are down, want none", got.down)
			}
			if due := overloadHealthy * (lasted.Seconds() - 2); got.runs+got.unknown+got.skipped < due {
				t.Errorf("%v runs of healthy endpoints are counted, skipped ones included, want %v at least", got.runs+got.unknown+got.skipped, due)
			}
			continue
		case "refusing":
			if got.down < (got.runs+got.unknown)/2 {
				t.Errorf("%v of %v runs of endpoints that refuse are down, want half at least", got.down, got.runs+got.unknown)
			}
		default:
			if got.down < (got.runs+got.unknown)/3 {
				t.Errorf("%v of %v runs of %s endpoints are down, want a third at least", got.down, got.runs+got.unknown, sort)
			}
		}
		if got.runs != got.down {
			t.Errorf("%v runs of %s endpoints have passed, want none", got.runs-got.down, sort)
		}
	}
}

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
			sort, _, _ := strings.Cut(labelOf(m, "probe"), "-")
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
