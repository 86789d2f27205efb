package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

var (
	somePhases = [probe.NumPhases]time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 6 * time.Second, 7 * time.Second}
	unverified = &probe.TLSFacts{Version: "TLS 1.2", EarliestExpiry: time.Unix(1000, 0)}
)

// factTests are last attempts of probes of kind http, and the probe_* gauges after them; PHASES0 stands
// for phases that are all 0.
var factTests = []struct {
	name string
	last probe.Attempt
	want string
}{
	{"a response over TLS after redirects", probe.Attempt{
		OK: true, Phases: somePhases, RemoteAddress: "[2001:db8::7]:443",
		HTTP: &probe.HTTP{Status: 200, Version: "HTTP/2.0", Hops: make([]probe.Hop, 2), ContentLength: -1, BodyBytes: 512, LastModified: time.Unix(500, 0)},
		TLS:  &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: time.Unix(1000, 0), LastChainExpiry: time.Unix(2000, 0)},
	}, `
probe_dns_lookup_time_seconds 2
probe_http_content_length -1
probe_http_duration_seconds{phase="connect"} 3
probe_http_duration_seconds{phase="processing"} 11
probe_http_duration_seconds{phase="resolve"} 2
probe_http_duration_seconds{phase="tls"} 4
probe_http_duration_seconds{phase="transfer"} 7
probe_http_last_modified_timestamp_seconds 500
probe_http_redirects 2
probe_http_ssl 1
probe_http_status_code 200
probe_http_uncompressed_body_length 512
probe_http_version 2
probe_ip_protocol 6
probe_ssl_earliest_cert_expiry 1000
probe_ssl_last_chain_expiry_timestamp_seconds 2000
probe_success 1
probe_tls_version_info{version="TLS 1.3"} 1
`},
	{"a plain response that is not what was expected", probe.Attempt{
		Reason: probe.ReasonStatus, RemoteAddress: "203.0.113.7:80", HTTP: &probe.HTTP{Status: 503, Version: "HTTP/1.1", ContentLength: 3, BodyBytes: 3},
	}, `
probe_dns_lookup_time_seconds 0
probe_http_content_length 3
PHASES0probe_http_redirects 0
probe_http_ssl 0
probe_http_status_code 503
probe_http_uncompressed_body_length 3
probe_http_version 1.1
probe_ip_protocol 4
probe_success 0
`},
	{"a certificate that was refused", probe.Attempt{
		Reason: probe.ReasonTLSCertExpired, RemoteAddress: "203.0.113.7:443", TLS: unverified,
	}, `
probe_dns_lookup_time_seconds 0
probe_http_content_length 0
PHASES0probe_http_redirects 0
probe_http_ssl 0
probe_http_status_code 0
probe_http_uncompressed_body_length 0
probe_http_version 0
probe_ip_protocol 4
probe_ssl_earliest_cert_expiry 1000
probe_success 0
probe_tls_version_info{version="TLS 1.2"} 1
`},
	{"no name, and a version that is none", probe.Attempt{
		Reason: probe.ReasonDNSNotFound, HTTP: &probe.HTTP{Version: "HTTP/NaN"},
	}, `
probe_dns_lookup_time_seconds 0
probe_http_content_length 0
PHASES0probe_http_redirects 0
probe_http_ssl 0
probe_http_status_code 0
probe_http_uncompressed_body_length 0
probe_http_version 0
probe_ip_protocol 0
probe_success 0
`},
}

const phases0 = `probe_http_duration_seconds{phase="connect"} 0
probe_http_duration_seconds{phase="processing"} 0
probe_http_duration_seconds{phase="resolve"} 0
probe_http_duration_seconds{phase="tls"} 0
probe_http_duration_seconds{phase="transfer"} 0
`

// TestFacts shows the probe_* gauges after one run whose last attempt is given.
func TestFacts(t *testing.T) {
	for _, tt := range factTests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.TrimLeft(tt.want, "\n"), "PHASES0", phases0)
			if diff := cmp.Diff(want, factsExposed(t, "http", tt.last)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// factsExposed is the probe_* gauges after one run of a probe of a kind, but for the duration, and
// without the label probe.
func factsExposed(t *testing.T, kind string, last probe.Attempt) string {
	t.Helper()
	r := New(Build{})
	p := &probe.Probe{Name: "p", Kind: kind}
	r.Declare(p)
	r.RunDone(resultOf(p, last))
	text := exposed(t, r, "probe_http", "probe_ssl", "probe_tls", "probe_ip", "probe_dns", "probe_success")
	return strings.NewReplacer(`{probe="p"}`, "", `,probe="p"`, "", `probe="p",`, "").Replace(text)
}

func resultOf(p *probe.Probe, last probe.Attempt) *probe.Result {
	r := &probe.Result{Probe: p, Verdict: probe.Up, Stop: "success", Attempts: []probe.Attempt{last}}
	if !last.OK {
		r.Verdict, r.Reason, r.Stop = probe.Down, last.Reason, "permanent"
	}
	return r
}

// TestFactsOfAnotherKind have no HTTP, but TLS where there was some.
func TestFactsOfAnotherKind(t *testing.T) {
	want := `probe_dns_lookup_time_seconds 0
probe_ip_protocol 4
probe_ssl_earliest_cert_expiry 1000
probe_success 1
probe_tls_version_info{version="TLS 1.3"} 1
`
	got := factsExposed(t, "tcp", probe.Attempt{
		OK: true, RemoteAddress: "[::ffff:203.0.113.7]:1", TLS: &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: time.Unix(1000, 0)},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFactsGoWhenNotSeenAgain holds that a fact of an earlier run is not shown as one of the last.
func TestFactsGoWhenNotSeenAgain(t *testing.T) {
	r := New(Build{})
	p := page()
	r.Declare(p)
	r.RunDone(resultOf(p, probe.Attempt{OK: true, TLS: &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: time.Unix(1, 0)}}))
	r.RunDone(resultOf(p, probe.Attempt{Reason: probe.ReasonConnectRefused}))
	if text := exposed(t, r, "probe_ssl", "probe_tls"); text != "" {
		t.Errorf("after a run without TLS there is still\n%s", text)
	}
}
