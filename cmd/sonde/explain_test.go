package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/retry"
)

// golden holds a text to a file of testdata, which SONDE_UPDATE writes anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("SONDE_UPDATE") != "" {
		put(t, file, got)
	}
	if diff := cmp.Diff(readAll(t, file), got); diff != "" {
		t.Errorf("%s is stale; SONDE_UPDATE=1 go test -run %s ./cmd/sonde writes it anew (-file +now):\n%s", file, t.Name(), diff)
	}
}

// unsteady is what differs from run to run in what explain tells.
var unsteady = []struct {
	expression *regexp.Regexp
	is         string
}{
	{regexp.MustCompile(`(?m)^  (queue|resolve|connect|tls|write|wait|transfer|attempt \d+|resent \d+) +<?[\d.]+(ms|s)  .*\n`), ""}, // bars
	{regexp.MustCompile(`on a (new connection|kept connection \([^)]*\))`), "on a CONNECTION"},                                      // probes of one host share them
	{regexp.MustCompile(`127\.0\.0\.1:\d{2,}`), "ADDRESS"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d(T[\d:]+Z)?`), "DATE"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "CLOCK"},
	{regexp.MustCompile(`\d+h\d+m|\d+ days`), "DAYS"},
	{regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s) drawn`), "TIME drawn"},
	{regexp.MustCompile(`(, at|  waits +|within|in|after) \d+(\.\d+)?(ns|µs|ms|s)`), "$1 TIME"},
	{regexp.MustCompile(`(?m)^(  waits +)[\d.]+(ms|s):`), "${1}TIME:"},
	{regexp.MustCompile(`, while sonde itself was \S+ late`), ""}, // as on a machine that is busy
}

// TestExplainTellsOfTheDemo holds what is told of every endpoint of the demo to a file that is meant to be
// read; bars, durations and addresses are left out. It is told in a bubble: where time is real a busy machine
// has another tale.
func TestExplainTellsOfTheDemo(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	inBubble(t, conn.Options{Chains: true}, func(t *testing.T, d *demo, network *conn.Network) {
		set, bad := d.source(network).load(t.Context())
		if bad != nil {
			t.Fatal(bad)
		}
		closeAll(set.Probes) // they are made anew, as run does
		c := explainCommand{Output: "text", probeFlags: probeFlags{Concurrency: 100}, Log: logFlags{"error", "logfmt"}}
		term := &terminal{out: &out, err: &err, width: 1000}
		term.detach(t.Context())
		got := c.explain(t.Context(), term, set.Declared())
		if term.close(); got != exitStatus(statusFailed) || err.Len() > 0 {
			t.Fatalf("explain ends with %v\n%s", got, &err)
		}
	})
	text := steadied(out.String())
	golden(t, "explain_demo.golden", text)
	shown := regexp.MustCompile("(?s)<!-- explain: .*?-->\n```text\n(.*?)```\n<!-- /explain -->").FindStringSubmatch(readFile(t, "README.md"))
	if shown == nil || !strings.Contains(oneLine(text), oneLine(steadied(shown[1]))) {
		t.Errorf("what README.md shows of explain is not what it tells:\n%q", shown)
	}
}

// steadied is what explain tells, less what differs from run to run.
func steadied(text string) string {
	for _, u := range unsteady {
		text = u.expression.ReplaceAllString(text, u.is)
	}
	return text
}

// oneLine is a text with one blank between its words, wherever its lines break.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wicked is what a target can put wherever it may put a text.
const wicked = "evil\x1b[2J\u202e\u009b31m\r"

// eventful is a run in which all that can be drawn has happened; its target is hostile.
func eventful() *probe.Result {
	const ms = time.Millisecond
	start := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	p := &probe.Probe{
		Name: "shop-home", Kind: "http", Target: "https://shop.example.com/", Source: "probes.yaml:4", Interval: time.Minute,
		Limits: probe.Limits{Total: 10 * time.Second, Connect: 3 * time.Second, SockConnect: 3 * time.Second},
		Policy: retry.Policy{Attempts: 3, Deadline: 54 * time.Second, Transparent: 1, Backoff: retry.Backoff{Base: 500 * ms, Cap: time.Second, Jitter: 500 * ms}},
	}
	chain := []probe.Certificate{
		{Subject: "CN=shop.example.com", Issuer: "CN=Example CA,O=" + wicked, Names: []string{"shop.example.com", wicked}, MoreNames: 40,
			NotBefore: start.AddDate(0, -1, 0), NotAfter: start.AddDate(0, 2, 0)},
		{Subject: "CN=Example CA", Issuer: "CN=Example CA", NotBefore: start.AddDate(-1, 0, 0), NotAfter: start.AddDate(0, 0, -3)},
		{Subject: "CN=Tomorrow", Issuer: "CN=Example CA", NotBefore: start.Add(20 * time.Hour), NotAfter: start.AddDate(0, 0, 3)},
	}
	first := probe.Attempt{
		Number: 1, Started: start, Duration: 1000 * ms, Reason: probe.ReasonStaleConnection, Transient: true, Evidence: probe.Unanswered,
		Err: errors.New("the kept connection was closed by " + wicked), Phase: probe.PhaseWait, Method: "GET", Repeatable: true, Stale: true, Reused: true,
		RemoteAddress: "203.0.113.7:443", Phases: [probe.NumPhases]time.Duration{probe.PhaseWrite: 1 * ms, probe.PhaseWait: 999 * ms},
	}
	second := probe.Attempt{
		Number: 1, Transparent: true, Started: start.Add(1000 * ms), Duration: 4000 * ms, Reason: probe.ReasonStatus, Transient: true, Evidence: probe.Answered,
		Err: errors.New(`status 503, want 2xx`), Phase: probe.PhaseTransfer, Method: "GET", Repeatable: true, RemoteAddress: "203.0.113.7:443",
		Addresses: []probe.AddressError{{Address: "[2001:db8::7]:443", Err: errors.New("network is unreachable")}},
		Phases:    [probe.NumPhases]time.Duration{500 * ms, 500 * ms, 500 * ms, 1000 * ms, 500 * ms, 500 * ms, 500 * ms},
		TLS:       &probe.TLSFacts{Version: "TLS 1.3", Cipher: "TLS_AES_128_GCM_SHA256", LastChainExpiry: start, Chain: chain},
		HTTP: &probe.HTTP{Status: 503, Version: "HTTP/2.0", URL: "https://www.example.com/" + wicked, LengthUnverified: true, AfterResend: true,
			Hops:     []probe.Hop{{URL: "https://shop.example.com/", Status: 302, RemoteAddress: "203.0.113.7:443"}, {URL: "https://shop.example.com/b", Status: 307, RemoteAddress: "203.0.113.7:443"}},
			BodyHead: "<h1>" + wicked + "</h1>\r\n\tit is busy " + strings.Repeat("wide ", 40) + strings.Repeat("\nline", 20)},
		Asked: 0, HasAsked: true, Wait: 750 * ms, Waited: 100 * ms, WaitSource: retry.FromBackoff,
	}
	return &probe.Result{
		Probe: p, Verdict: probe.Unknown, Reason: probe.ReasonCanceled, Stop: retry.StopCanceled, Started: start, Duration: 5100 * ms,
		Attempts: []probe.Attempt{first, second}, Err: &probe.RunError{Stop: retry.StopCanceled, Err: errors.New("interrupted")},
	}
}

// TestExplainDraws holds the drawing, at several widths, in colours and in ASCII.
func TestExplainDraws(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, c := range []struct {
		name string
		teller
	}{
		{"80 columns", teller{width: 80}}, {"40 columns", teller{width: 40}}, {"ASCII", teller{width: 60, ascii: true}}, {"colours", teller{width: 60, colour: true}},
	} {
		x := c.teller
		x.now = time.Date(2026, 11, 30, 10, 0, 6, 0, time.UTC)
		x.tell(eventful(), c.name != "ASCII")
		text := x.text()
		for line := range strings.Lines(text) {
			line = regexp.MustCompile(`\x1b\[[\d;]*m`).ReplaceAllString(strings.TrimSuffix(line, "\n"), "")
			if n := len([]rune(line)); n > x.width {
				t.Errorf("%s: a line of %d columns: %q", c.name, n, line)
			}
			if probe.Printable(line) != line || c.name == "ASCII" && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
				t.Errorf("%s: a terminal would obey or not know what is in %q", c.name, line)
			}
		}
		b.WriteString("-- " + c.name + " --\n" + strings.ReplaceAll(text, "\x1b", "ESC"))
	}
	golden(t, "explain_drawn.golden", regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(b.String(), "CLOCK"))
}

// TestWantAndGot: nothing that is quoted takes an error apart.
func TestWantAndGot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want, got string }{
		{"status 503, want 2xx", "2xx", "status 503"},
		{`header X is "a, want \"b\", want c", want "d, want e"`, `header X: "d, want e"`, `header X is "a, want \"b\", want c"`},
		{`header X-Debug is absent, want a text with "a is b"`, `header X-Debug: a text with "a is b"`, "header X-Debug is absent"},
		{`header X is "1", want none`, "header X: none", `header X is "1"`},
		{`body does not contain ", want x"`, `a body that contains ", want x"`, "a body that does not"},
		{`body matches "x"`, `a body that does not match "x"`, "a body that does"},
		{`received "a\", want b`, "", ""},
		{"the peer closed the connection", "", ""},
	} {
		want, got, ok := wantGot(tt.text)
		if want != tt.want || got != tt.got || ok != (tt.want != "") {
			t.Errorf("%s: %q and %q and %t, want %q and %q", tt.text, want, got, ok, tt.want, tt.got)
		}
	}
}

// TestExplainIsInterrupted: what is known of a run that was given up is told all the same.
func TestExplainIsInterrupted(t *testing.T) {
	t.Parallel()
	web := newWeb()
	t.Cleanup(web.Close)
	s := startCommand(t, "explain", probesFile(t, "hush="+web.URL+"/silent"), "hush")
	<-web.waiting
	if status := s.stop(); status != statusInterrupted {
		t.Errorf("status %d, want %d\n%s", status, statusInterrupted, s.err)
	}
	if !strings.Contains(s.out.String(), "Nothing is known of hush: the run was interrupted") {
		t.Errorf("it tells\n%s", s.out)
	}
}

// TestExplainFollowsRedirects, and shows the hops with what is secret in them left out.
func TestExplainFollowsRedirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/a", http.RedirectHandler("/b?token=hunter2", http.StatusFound))
	mux.HandleFunc("/b", http.NotFound)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	s := startCommand(t, "explain", probesFile(t, "moved="+web.URL+"/a"), "moved")
	if status := s.wait(); status != statusFailed {
		t.Errorf("status %d, want %d\n%s", status, statusFailed, s.err)
	}
	for _, want := range []string{"/a answered 302 from 127.0.0.1:", "/b?token=<secret>", "moved is down: the only attempt got 404; another attempt would meet the same."} {
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("%q is not in\n%s", want, s.out)
		}
	}
}

// TestExplainTellsTheWay of an attempt: the proxy by its name, whose a kept connection was, and what of a
// chain of redirects was sent.
func TestExplainTellsTheWay(t *testing.T) {
	t.Parallel()
	const at, gate = "192.0.2.1:80", "gate.example:3128"
	redirect := func(hops ...probe.Hop) *probe.HTTP {
		return &probe.HTTP{Status: 302, Version: "HTTP/1.1", URL: "http://a/", Hops: hops}
	}
	hop := probe.Hop{URL: "http://a/", Status: 302, RemoteAddress: at}
	lost := func(e probe.Evidence, h *probe.HTTP) probe.Attempt {
		return probe.Attempt{Number: 2, Reason: probe.ReasonDisconnected, Err: errors.New("lost"), Evidence: e, Phase: probe.PhaseWait, HTTP: h}
	}
	for _, c := range []struct {
		name    string
		attempt probe.Attempt
		want    []string
		not     string
	}{
		{"no proxy", probe.Attempt{OK: true, RemoteAddress: at}, []string{"  address      192.0.2.1:80, on a new connection\n"}, "proxy"},
		{"a proxy by its name", probe.Attempt{OK: true, RemoteAddress: "192.0.2.3:3128", Proxy: gate},
			[]string{"  address      through the proxy gate.example:3128 (192.0.2.3:3128), on a new\n               connection\n"}, ""},
		{"a proxy by its address", probe.Attempt{OK: true, RemoteAddress: "192.0.2.3:3128", Proxy: "192.0.2.3:3128"},
			[]string{"  address      through the proxy 192.0.2.3:3128, on a new connection\n"}, ""},
		{"a proxy that is not reached", probe.Attempt{Reason: probe.ReasonProxyConnect, Err: errors.New("refused"), Proxy: gate, Evidence: probe.NeverSent},
			[]string{"  address      through the proxy gate.example:3128\n", "  sent         nothing of it had left (never_sent)\n"}, ""},
		{"a redirect through a proxy", probe.Attempt{OK: true, RemoteAddress: at, HTTP: &probe.HTTP{Hops: []probe.Hop{{URL: "http://a/", Status: 302, RemoteAddress: "192.0.2.3:3128", Proxy: gate}}}},
			[]string{"  redirects    http://a/ answered 302 through the proxy gate.example:3128\n"}, ""},
		{"the connection of the redirect", probe.Attempt{OK: true, RemoteAddress: at, Reused: true, HTTP: redirect(hop)}, []string{"a kept connection (that of the redirect)\n"}, ""},
		{"the connection of an attempt", probe.Attempt{OK: true, RemoteAddress: "192.0.2.9:80", Reused: true}, []string{"a kept connection (that of attempt 1)\n"}, ""},
		{"the connection of another probe", probe.Attempt{OK: true, RemoteAddress: at, Reused: true}, []string{"a kept connection (another probe's)\n"}, ""},
		{"lost behind a redirect", lost(probe.NeverSent, redirect(hop)),
			[]string{"  sent         the first request was, and was redirected; the one that followed:\n               nothing of it had left (never_sent)\n"}, "  answer "},
		{"lost behind two", lost(probe.Unanswered, redirect(hop, hop)),
			[]string{"  sent         the first 2 requests were, and were redirected; the one that\n               followed: yes, and not a byte of an answer came (unanswered)\n"}, "  answer "},
		{"answered behind a redirect", probe.Attempt{Reason: probe.ReasonStatus, Err: errors.New("status 302, want 2xx"), Evidence: probe.Answered, Phase: probe.PhaseTransfer, HTTP: redirect(hop)},
			[]string{"  answer       302 over HTTP/1.1"}, "  sent "},
	} {
		r := eventful()
		r.Attempts[0].RemoteAddress = "192.0.2.9:80"
		r.Attempts[1] = c.attempt
		x := &teller{width: 80, now: r.Started}
		x.attempt(r, 1)
		for _, want := range c.want {
			if !strings.Contains(x.text(), want) {
				t.Errorf("%s: want %q in\n%s", c.name, want, x.text())
			}
		}
		if c.not != "" && strings.Contains(x.text(), c.not) {
			t.Errorf("%s: %q is told\n%s", c.name, c.not, x.text())
		}
	}
}

// TestExplainTellsARefusedWaitOnce: it is why there is no other attempt.
func TestExplainTellsARefusedWaitOnce(t *testing.T) {
	t.Parallel()
	r := eventful()
	a := &r.Attempts[1]
	a.Asked, a.WaitSource, r.Stop = 5*time.Minute, "", retry.StopRetryAfterOverMax
	r.Probe.Policy.RetryAfter = retry.RetryAfter{Max: time.Minute, Above: retry.AboveStop}
	x := &teller{width: 80, now: r.Started}
	x.attempt(r, 1)
	if n := strings.Count(x.text(), "5m"); n != 1 || !strings.Contains(x.text(), "not retried: the site asked to wait 5m (Retry-After)") {
		t.Errorf("the wait is told %d times, want once, as what was decided:\n%s", n, x.text())
	}
}
