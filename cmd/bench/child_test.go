package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sonde/probe"
)

// echo tells which commands it has had.
type echo struct{ marks int }

func (e *echo) ready() any  { return "ready" }
func (e *echo) mark()       { e.marks++ }
func (e *echo) report() any { return e.marks }

func TestConversation(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := converse(&echo{}, strings.NewReader("mark\nmark\nreport\n"), &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "\"ready\"\n{}\n{}\n2\n"; got != want {
		t.Errorf("answers are %q, want %q", got, want)
	}
	if err := converse(&echo{}, strings.NewReader("dance\n"), &out); err == nil {
		t.Error("an unknown command is no error, want one")
	}
}

// A report survives JSON, also where nothing was measured.
func TestReportInJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(loopReport{Done: 1, Lag: newHistogram().read(), Duration: spread{N: 1, P50: .5, P99: .5, Max: .5}})
	if err != nil {
		t.Fatal(err)
	}
	var got loopReport
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Lag.P99.there() || got.Duration.P99 != .5 || got.Done != 1 {
		t.Errorf("%s is read back as %+v", text, got)
	}
}

func TestTargetsAreAddresses(t *testing.T) {
	t.Parallel()
	for _, i := range []int{0, 1, 255, 256, 65536, maxTargets - 1} {
		u, err := url.Parse(targetURL(i, 8080))
		if err != nil {
			t.Fatal(err)
		}
		ip := net.ParseIP(u.Hostname())
		if !ip.IsLoopback() || targetOf(ip, maxTargets) != i || targetOf(ip.To4(), maxTargets) != i {
			t.Errorf("target %d is at %s, which is read as target %d", i, u, targetOf(ip, maxTargets))
		}
	}
	for _, text := range []string{"127.0.0.1", "127.1.0.5", "::1", "10.0.0.1"} {
		if i := targetOf(net.ParseIP(text), 5); i != -1 {
			t.Errorf("%s is target %d of 5, want none", text, i)
		}
	}
}

func TestPhaseIsThatOfTheProbe(t *testing.T) {
	t.Parallel()
	for i := range 100 {
		due := probe.NextDue(targetName(i), time.Minute, time.Unix(1800000000, 12345))
		if got := due.UnixNano() % int64(time.Minute); got != phaseOf(i, time.Minute) {
			t.Errorf("%s is due at %d in the interval, want %d", targetName(i), got, phaseOf(i, time.Minute))
		}
	}
}

// The server answers each target at its address, counts, and closes a connection when asked to.
func TestServer(t *testing.T) {
	t.Parallel()
	if system() != nil {
		t.Skip(system())
	}
	w, err := startServer(setup{Targets: 300, Interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	port := w.ready().(serverReady).Port
	for _, fresh := range []bool{false, true} {
		w.mark()
		transport := &http.Transport{DisableKeepAlives: fresh}
		defer transport.CloseIdleConnections()
		for range 3 {
			response, err := transport.RoundTrip(mustRequest(t, targetURL(299, port)))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || !strings.HasPrefix(string(body), "All is well") || response.Close != fresh {
				t.Errorf("fresh %t: the answer is %q, %v, closing %t", fresh, body, err, response.Close)
			}
		}
		report := w.report().(serverReport)
		connections := map[bool]int64{false: 1, true: 3}[fresh]
		if report.Requests != 3 || report.Seen != 1 || report.First == 0 || report.Accepted != connections {
			t.Errorf("fresh %t: the report is %+v, want 3 requests on %d connections for 1 target", fresh, report, connections)
		}
	}
}

func mustRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A request counts as late from the due time before it, and as early for the one just ahead.
func TestLateness(t *testing.T) {
	t.Parallel()
	s := &server{setup: setup{Interval: time.Second}, phases: []int64{0}}
	for _, tt := range []struct {
		since, want time.Duration
	}{{0, 0}, {30 * time.Millisecond, 30 * time.Millisecond}, {980 * time.Millisecond, 980 * time.Millisecond}, {995 * time.Millisecond, 0}} {
		if got := s.lateness(0, int64(5*time.Second+tt.since)); got != tt.want {
			t.Errorf("%v after it was due: %v late, want %v", tt.since, got, tt.want)
		}
	}
}
