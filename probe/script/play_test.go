package script_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/kinds"
	"sonde/probe/retry"
	"sonde/probe/script"
	"sonde/schema"
)

// TestWhatNeverHappens plays scripts that say what cannot come to pass.
func TestWhatNeverHappens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		test script.Test
		want string
	}{
		{"a lookup of an address", one("plain", script.Step{DNS: "not_found"}),
			"script[0].dns never happens: 192.0.2.9:80 is an address, so that nothing is looked up"},
		{"TLS without TLS", one("get", script.Step{TLS: "alert"}),
			"script[0].tls never happens: the request to host.example:80 is sent without TLS"},
		{"a stale connection where none is kept", one("fresh", script.Step{Stale: true}),
			"script[0].stale never happens: no connection is kept for this request"},
		{"HTTP/2 by HTTP/1.1", one("get", script.Step{H2: "goaway"}),
			"script[0].h2 never happens: the request goes out by HTTP/1.1"},
		{"a proxy without one", one("get", script.Step{Proxy: 407}),
			"script[0].proxy never happens: no proxy is asked for a tunnel to host.example:80"},
		{"a tunnel for http", one("proxied-plain", script.Step{Cut: "proxy"}),
			"script[0].cut never happens: no proxy is asked for a tunnel to host.example:80"},
		{"a talk by HTTP", one("get", script.Step{Talk: []script.Move{{Say: "220 "}}}),
			"script[0] has a talk, which is of tcp probes alone"},
		{"a status of tcp", one("port", script.Step{Status: 200}),
			"script[0] has what is of http probes alone; want talk"},
		{"in a later step", script.Test{Probe: "get", Script: []script.Steps{{{Status: 302, Headers: map[string]script.Texts{"Location": {"/x"}}}, {TLS: "alert"}}}},
			"script[0][1].tls never happens: the request to host.example:80 is sent without TLS"},
		{"an end", one("endless", script.Step{Hang: "header"}),
			"script[0] never ends: no limit runs here, and the run has no deadline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range play(t, config, &c.test).Faults {
				got = append(got, f.Error())
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("faults, want - got +:\n%s", diff)
			}
		})
	}
}

// one is a test of one step.
func one(probe string, s script.Step) script.Test {
	return script.Test{Probe: probe, Script: []script.Steps{{s}}}
}

// TestQueue is of what cannot be said to the real network by one run: that others hold all connections.
func TestQueue(t *testing.T) {
	t.Parallel()
	test := one("get", script.Step{Hang: "queue"})
	r := play(t, config, &test).Result
	a := r.Attempts[0]
	if r.Verdict != probe.Unknown || a.Reason != probe.ReasonPoolTimeout || a.Duration != 5*time.Second || a.Evidence != probe.NeverSent {
		t.Errorf("%s for %s after %v, %s; want unknown for pool_timeout after 5s, never_sent", r.Verdict, a.Reason, a.Duration, a.Evidence)
	}
}

// TestNoTimePasses plays a run of many years' waits.
func TestNoTimePasses(t *testing.T) {
	t.Parallel()
	const slow = `
defaults: {deadline: none}
probes:
  - {name: slow, interval: 1d, retry: {attempts: 100, backoff: {base: 30d, cap: 30d, jitter: 0s}}, http: {url: "http://host.example/"}}
`
	test := one("slow", script.Step{Status: 503})
	test.Probe = "slow"
	began := time.Now()
	r := play(t, slow, &test).Result
	if want := 99 * 30 * 24 * time.Hour; r.Duration != want || len(r.Attempts) != 100 {
		t.Errorf("%d attempts in %v, want 100 in %v", len(r.Attempts), r.Duration, want)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestTheSameAgain holds that a network forgets a test.
func TestTheSameAgain(t *testing.T) {
	t.Parallel()
	n := script.New()
	p := load(t, config, kinds.Over(n, "1"), "get")
	test := script.Test{Probe: "get", Script: []script.Steps{{{Status: 503}}, {{Connect: "refused"}}, {{Body: script.Pieces{{Text: "shop"}}}}}}
	first, second := recordOf(n.Play(t.Context(), p, &test)), recordOf(n.Play(t.Context(), p, &test))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("first - second +:\n%s", diff)
	}
}

func TestACanceledRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := script.New()
	test := one("get", script.Step{})
	r := n.Play(ctx, load(t, config, kinds.Over(n, "1"), "get"), &test).Result
	if r.Stop != retry.StopCanceled || len(r.Attempts) != 0 {
		t.Errorf("stop %s after %d attempts, want canceled before the first", r.Stop, len(r.Attempts))
	}
}

// TestWhatAFileMayNotSay reads files that say what makes no sense.
func TestWhatAFileMayNotSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, want string }{
		{"{status: 99}", "f.yaml:5:24: tests[0].script[0].status is 99, want 101, or 200 to 599"},
		{"{dns: nxdomain}", `f.yaml:5:21: tests[0].script[0].dns is "nxdomain", want one of not_found, temporary, timeout, server`},
		{"{hang: lunch}", `f.yaml:5:22: tests[0].script[0].hang is "lunch", want one of queue, resolve, connect, proxy, tls, header, mid_header, body, talk`},
		{"{dns: not_found, connect: refused}", "f.yaml:5:41: tests[0].script[0].connect stands beside dns, want one of them: an attempt ends once"},
		{"{dns: not_found, status: 200}", "f.yaml:5:40: tests[0].script[0].status is never sent, since dns ends the attempt before; want one of them"},
		{"{status: 204, body: x}", "f.yaml:5:35: tests[0].script[0].body stands beside status 204, which has none"},
		{"{headers: {Content-Length: 5}}", "f.yaml:5:42: tests[0].script[0].headers.Content-Length cannot be set here: it follows from body and unannounced"},
		{`{not_http: "HTTP/1.1 2"}`, "f.yaml:5:26: tests[0].script[0].not_http begins as HTTP does; for a response that breaks off want cut: mid_header"},
		{"{body: {text: 0123456789, repeat: 10000000}}", "f.yaml:5:22: tests[0].script[0].body amounts to more than 64 MiB, want less"},
		{"{talk: [{hear: a, say: b}]}", "f.yaml:5:23: tests[0].script[0].talk[0] has both, want one of hear and say"},
		{"[]", "f.yaml:5:15: tests[0].script[0] is an empty list, want a step for each request"},
		{"{delay: 5}", `f.yaml:5:23: tests[0].script[0].delay is 5, want a duration with a unit, such as 0s, 500ms, 30s, 1m30s or 1d`},
		{"{delay: 9999999h}", `f.yaml:5:23: tests[0].script[0].delay is "9999999h", want a duration of less than ten years`},
		{"{delay: 9999999d}", `f.yaml:5:23: tests[0].script[0].delay is "9999999d", want a duration of less than ten years`},
		{"{delay: {header: -1s}}", `f.yaml:5:32: tests[0].script[0].delay.header is "-1s", want a duration of 0s or more`},
		{"{stauts: 200}", "f.yaml:5:16: tests[0].script[0].stauts is not a known key; did you mean status?"},
	} {
		text := "probes: p.yaml\ntests:\n  - name: a\n    probe: b\n    script: [ " + c.step + "]\n    want: {verdict: up}\n"
		_, err := schema.Decode("f.yaml", []byte(text), &script.File{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v, want\n%s", c.step, err, c.want)
		}
	}
}

func TestWhatATestMayNotSay(t *testing.T) {
	t.Parallel()
	const text = `probes: p.yaml
tests:
  - {name: a, probe: b, script: [{}], want: {}}
  - {name: a, probe: b, script: [{}], want: {verdict: good, reason: weather, each: [{phase: lunch}]}, chance: 1}
  - {name: c, script: []}
`
	_, err := schema.Decode("f.yaml", []byte(text), &script.File{})
	want := `f.yaml:4:55: tests[1].want.verdict is "good", want one of down, unknown, flaky, up
f.yaml:4:69: tests[1].want.reason is "weather", want one of `
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), `f.yaml:4:93: tests[1].want.each[0].phase is "lunch", want one of queue,`) {
		t.Errorf("problems\n%v\nwant at least\n%s", err, want)
	}
	mended := strings.NewReplacer("verdict: good, reason: weather, each: [{phase: lunch}]", "verdict: up").Replace(text)
	_, err = schema.Decode("f.yaml", []byte(mended), &script.File{})
	want = `f.yaml:4:68: tests[1].chance is 1, want less than 1
f.yaml:5:5: tests[2].probe is missing, want text such as shop-home
f.yaml:5:23: tests[2].script has 0 elements, want 1 element or more`
	if err == nil || err.Error() != want {
		t.Errorf("problems\n%v\nwant\n%s", err, want)
	}
}

// TestMismatches holds that each thing that is named is compared, and nothing else.
func TestMismatches(t *testing.T) {
	t.Parallel()
	const text = `probes: p.yaml
tests:
  - name: all
    probe: get
    script: [{status: 503}, {body: the stop}]
    want:
      verdict: up
      reason: ""
      stop: success
      attempts: 1
      transparent: 1
      requests: 7
      waits: [1s]
      duration: 1s
      error: wheel
      each:
        - {ok: true, reason: assertion, transient: false, evidence: refused, limit: total, phase: queue, duration: 1s, wait: 1s}
        - {wait_source: backoff, status: 201, hops: 1, reused: false, transparent: true, error: ""}
        - {}
`
	want := `verdict: got down, want up
reason: got assertion, want ""
stop: got permanent, want success
attempts: got 2, want 1
transparent: got 0, want 1
requests: got 2, want 7
waits: got [750ms], want [1s]
duration: got 750ms, want 1s
error: got probe get at http://host.example/: body does not contain "shop" (attempts: 2, stop: permanent), want one that contains wheel
each: got 2 attempts, want 3 attempts
each[0].ok: got false, want true
each[0].reason: got status, want assertion
each[0].transient: got true, want false
each[0].evidence: got answered, want refused
each[0].limit: got "", want total
each[0].phase: got transfer, want queue
each[0].duration: got 0s, want 1s
each[0].wait: got 750ms, want 1s
each[1].wait_source: got "", want backoff
each[1].status: got 200, want 201
each[1].hops: got 0, want 1
each[1].reused: got true, want false
each[1].transparent: got false, want true
each[1].error: got body does not contain "shop", want none`
	var file script.File
	if _, err := schema.Decode("f.yaml", []byte(text), &file); err != nil {
		t.Fatal(err)
	}
	played := play(t, config, &file.Tests[0])
	var got []string
	for _, m := range file.Tests[0].Want.Compare(played) {
		got = append(got, m.String())
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), got); diff != "" {
		t.Errorf("mismatches, want - got +:\n%s", diff)
	}
	if found := new(script.Want).Compare(played); len(found) > 0 {
		t.Errorf("a want that names nothing finds %v", found)
	}
}
