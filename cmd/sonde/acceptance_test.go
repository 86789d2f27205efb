package main

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The acceptance test runs the real binary against Debian's nginx and Prometheus. It runs when
// SONDE_ACCEPTANCE is set, as .ci/run does, and is the one test that polls: what it waits for happens
// in other processes.

// acceptance is what the parts of the test share.
type acceptance struct {
	sonde string // the binary
	nginx *nginx
	dir   string
}

func TestAcceptance(t *testing.T) {
	if os.Getenv("SONDE_ACCEPTANCE") == "" {
		t.Skip("SONDE_ACCEPTANCE is not set; .ci/run sets it")
	}
	dir := t.TempDir()
	a := &acceptance{sonde: buildSonde(t, dir), nginx: startNginx(t), dir: dir}
	t.Run("alerts", testAlerts)
	t.Run("relabelings", testRelabelings)
	t.Run("dashboard", testDashboard)
	t.Run("once", a.testOnce)
	t.Run("run", a.testRun)
	t.Run("load", a.testLoad)
}

// buildSonde builds the binary as a user would.
func buildSonde(t *testing.T, dir string) string {
	t.Helper()
	binary := filepath.Join(dir, "sonde")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("building sonde: %v\n%s", err, out)
	}
	return binary
}

// write makes a file of a text in which the addresses of nginx are filled in.
func (a *acceptance) write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(a.dir, name)
	if err := os.WriteFile(name, []byte(a.nginx.fill(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// acceptanceFile has a probe for each location of nginx. Its interval is no multiple of Prometheus', so
// that no scrape always meets the same run half way. Nothing but what is meant to be cut is cut: how soon nginx
// answers depends on how busy the machine is.
const acceptanceFile = `
defaults:
  interval: 2100ms
  deadline: none
  timeout: {total: 60s, connect: 60s, sock_connect: 60s, sock_read: 60s}
  retry: {attempts: 3, backoff: {base: 10ms, cap: 20ms, jitter: 5ms}}
probes:
  - {name: ok, http: {url: "http://PLAIN/ok", expect: {body: {contains: fine}}}}
  - {name: wrong-body, http: {url: "http://PLAIN/ok", expect: {body: {contains: other}}}}
  - {name: moved, http: {url: "http://PLAIN/moved"}}
  - {name: missing, http: {url: "http://PLAIN/missing"}}
  - {name: broken, http: {url: "http://PLAIN/broken"}}
  - {name: broken-post, http: {url: "http://PLAIN/broken", method: POST, body: x}}
  - {name: broken-key, http: {url: "http://PLAIN/broken", method: POST, body: x, idempotency_key: auto}}
  - {name: flaky, http: {url: "http://PLAIN/flaky"}}
  - {name: busy, retry: {attempts: 2, retry_after: {max: 500ms}}, http: {url: "http://PLAIN/busy"}}
  - {name: cut, connection: {reuse: false}, http: {url: "http://PLAIN/cut"}}
  - {name: slow, http: {url: "http://PLAIN/slow"}}
  - {name: slow-total, retry: {attempts: 2}, timeout: {total: 300ms}, http: {url: "http://PLAIN/slower"}}
  - {name: stall, retry: {attempts: 2}, timeout: {sock_read: 200ms}, http: {url: "http://PLAIN/stall"}}
  - {name: tls, connection: {reuse: false}, http: {url: "https://SECURE/ok", tls: {ca_file: CA}}}
  - {name: tls-untrusted, http: {url: "https://SECURE/ok"}}
  - {name: closed, http: {url: "http://CLOSED/"}}
  - {name: port, tcp: {address: "PLAIN"}}
`

// wanted is what once has to say of a probe: of its run, and of its last attempt.
type wanted struct {
	Verdict, Reason, Stop           string
	Attempts                        int
	Evidence, Limit, Phase, Version string
	Status                          int
	WaitSource                      string // of the first attempt
}

var acceptanceWant = map[string]wanted{
	"ok":            {Verdict: "up", Stop: "success", Attempts: 1, Evidence: "answered", Status: 200, Version: "HTTP/1.1"},
	"wrong-body":    {Verdict: "down", Reason: "assertion", Stop: "permanent", Attempts: 1, Evidence: "answered", Phase: "transfer", Status: 200, Version: "HTTP/1.1"},
	"moved":         {Verdict: "up", Stop: "success", Attempts: 1, Evidence: "answered", Status: 200, Version: "HTTP/1.1"},
	"missing":       {Verdict: "down", Reason: "status", Stop: "permanent", Attempts: 1, Evidence: "answered", Phase: "transfer", Status: 404, Version: "HTTP/1.1"},
	"broken":        {Verdict: "down", Reason: "status", Stop: "attempts", Attempts: 3, Evidence: "answered", Phase: "transfer", Status: 503, Version: "HTTP/1.1", WaitSource: "backoff"},
	"broken-post":   {Verdict: "down", Reason: "status", Stop: "unsafe_after_response", Attempts: 1, Evidence: "answered", Phase: "transfer", Status: 503, Version: "HTTP/1.1"},
	"broken-key":    {Verdict: "down", Reason: "status", Stop: "attempts", Attempts: 3, Evidence: "answered", Phase: "transfer", Status: 503, Version: "HTTP/1.1", WaitSource: "backoff"},
	"flaky":         {Verdict: "flaky", Stop: "success", Attempts: 2, Evidence: "answered", Status: 200, Version: "HTTP/1.1", WaitSource: "backoff"},
	"busy":          {Verdict: "down", Reason: "status", Stop: "retry_after_over_max", Attempts: 1, Evidence: "answered", Phase: "transfer", Status: 429, Version: "HTTP/1.1"},
	"cut":           {Verdict: "down", Reason: "disconnected", Stop: "attempts", Attempts: 3, Evidence: "unanswered", Phase: "wait", WaitSource: "backoff"},
	"slow":          {Verdict: "up", Stop: "success", Attempts: 1, Evidence: "answered", Status: 200, Version: "HTTP/1.1"},
	"slow-total":    {Verdict: "down", Reason: "limit_total", Stop: "attempts", Attempts: 2, Evidence: "answered", Limit: "total", Phase: "transfer", Status: 200, Version: "HTTP/1.1", WaitSource: "backoff"},
	"stall":         {Verdict: "down", Reason: "limit_sock_read", Stop: "attempts", Attempts: 2, Evidence: "unanswered", Limit: "sock_read", Phase: "wait", WaitSource: "backoff"},
	"tls":           {Verdict: "up", Stop: "success", Attempts: 1, Evidence: "answered", Status: 200, Version: "HTTP/2.0"},
	"tls-untrusted": {Verdict: "down", Reason: "tls_cert_untrusted", Stop: "permanent", Attempts: 1, Evidence: "never_sent", Phase: "tls"},
	"closed":        {Verdict: "down", Reason: "connect_refused", Stop: "attempts", Attempts: 3, Evidence: "never_sent", Phase: "connect", WaitSource: "backoff"},
	"port":          {Verdict: "up", Stop: "success", Attempts: 1, Evidence: "never_sent"},
}

// testOnce holds what once says of each location, and that its JSON has the promised fields.
func (a *acceptance) testOnce(t *testing.T) {
	names := slices.Sorted(maps.Keys(acceptanceWant))
	inRounds(t, len(names), func(t *testing.T, which []int, stretch int) (trials []trial) {
		cmd := exec.CommandContext(t.Context(), a.sonde)
		got := map[string]promisedResult{}
		for _, r := range onceJSON(t, cmd, a.nginx.fill(stretched(acceptanceFile, stretch))) {
			got[r.Probe] = r
		}
		if len(got) != len(acceptanceWant) {
			t.Errorf("once has %d results, want %d", len(got), len(acceptanceWant))
		}
		for _, i := range which {
			trials = append(trials, trial{outsider: outsider{name: names[i], want: acceptanceWant[names[i]]}, got: got[names[i]]})
		}
		return trials
	})
}

// wanted picks out of a result what the test holds.
func (r promisedResult) wanted() wanted {
	s := wanted{Verdict: r.Verdict, Reason: r.Reason, Stop: r.Stop, Attempts: len(r.Attempts)}
	if s.Attempts == 0 {
		return s
	}
	last := r.Attempts[s.Attempts-1]
	s.Evidence, s.Limit, s.Phase = last.Evidence, last.Limit, last.Phase
	s.WaitSource = r.Attempts[0].WaitSource
	if last.HTTP != nil {
		s.Status, s.Version = last.HTTP.Status, last.HTTP.Version
	}
	return s
}

// checkPhases holds that all seven phases are there and sum to the duration, and that those which an
// attempt must have gone through took some time.
func (r promisedResult) checkPhases(t *testing.T) {
	t.Helper()
	for _, a := range r.Attempts {
		sum := 0.0
		for _, name := range strings.Fields("queue resolve connect tls write wait transfer") {
			took, there := a.Phases[name]
			if !there {
				t.Errorf("%s: attempt %d lacks the phase %s", r.Probe, a.Number, name)
			}
			sum += took
		}
		if math.Abs(sum-a.Duration) > 1e-6 || len(a.Phases) != 7 {
			t.Errorf("%s: the phases %v sum to %v, want the duration %v", r.Probe, a.Phases, sum, a.Duration)
		}
		secure := strings.HasPrefix(r.Target, "https:")
		if fresh := !a.Reused && r.Verdict == "up"; fresh && (a.Phases["connect"] <= 0 || secure && a.Phases["tls"] <= 0) {
			t.Errorf("%s: a fresh connection took no time: %v", r.Probe, a.Phases)
		}
		// An answer can be there before our own goroutine has noticed that the request is written.
		if a.HTTP != nil && a.Phases["write"]+a.Phases["wait"] <= 0 {
			t.Errorf("%s: an answer took no time: %v", r.Probe, a.Phases)
		}
	}
}
