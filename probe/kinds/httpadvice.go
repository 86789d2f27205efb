package kinds

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sonde/probe"
	"sonde/probe/conn"
)

// The rules of what is legal and a bad idea. Their names are schema's.
const (
	rulePermanent = "permanent-status"
	ruleRepeat    = "unsafe-repeat"
	rulePlain     = "plain-credentials"
)

// advise warns of what works and cannot be meant.
func (s *HTTP) advise(env probe.Env) (faults []probe.Fault) {
	if env.Policy.Attempts > 1 {
		faults = append(faults, s.advisePermanent(env)...)
		faults = append(faults, s.adviseRepeat(env)...)
	}
	if text, ok := s.JSON.(string); ok && len(text) > 1 && strings.ContainsAny(text[:1], "[{") && json.Valid([]byte(text)) {
		faults = append(faults, probe.Fault{Place: "json", Warning: true,
			Text: "is a text, which is sent in quotes, want what it says as YAML, without quotes around it, or body for a text as it is"})
	}
	gate, noGate := parseProxy(s.Proxy.URL)
	far := noGate == nil && !isLoopback(gate.Hostname())
	if u, err := parseURL(s.URL); err == nil && u.Scheme == "http" && (far || !isLoopback(u.Hostname())) {
		faults = append(faults, s.advisePlain(u)...)
	}
	if far && gate.Scheme == "http" {
		faults = append(faults, s.advisePlainProxy(gate)...)
	}
	return faults
}

// permanent are the statuses that a server gives for what the request is, and will give again.
var permanent = []int{
	400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 416, 417, 422, 426, 428, 431, 451,
	501, 505, 506, 508, 510, 511,
}

// maxNamed is how many statuses a warning names.
const maxNamed = 3

// advisePermanent warns of permanent statuses in the retryable set. Those that are expected are never
// retried, so they do no harm; neither do any when the reason is declared permanent, but then the set
// itself is in vain.
func (s *HTTP) advisePermanent(env probe.Env) (faults []probe.Fault) {
	if transient, declared := env.Transient[probe.ReasonStatus]; declared && !transient {
		return s.adviseVain()
	}
	expected := s.Expect.Status.bits()
	for i, r := range s.RetryableStatus {
		var found []string
		for _, status := range permanent {
			if status >= r[0] && status <= r[1] && !expected.has(status) {
				found = append(found, strconv.Itoa(status))
			}
		}
		if len(found) > 0 {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("retryable_status[%d]", i), Rule: rulePermanent, Warning: true,
				Text: fmt.Sprintf("is %s, but another attempt does not change %s; want statuses that pass by themselves, such as 429 or 503", r, named(found))})
		}
	}
	return faults
}

// adviseVain warns of a set of its own beside retry.permanent: [status].
func (s *HTTP) adviseVain() []probe.Fault {
	if len(s.RetryableStatus) == 0 || slices.Equal(s.RetryableStatus, defaultRetryable()) {
		return nil
	}
	return []probe.Fault{{Place: "retryable_status", Rule: rulePermanent, Warning: true,
		Text: "has no effect, because status is in retry.permanent; want one of them"}}
}

// named lists a few words, and says how many more there are.
func named(list []string) string {
	if more := len(list) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNamed], ", "), more)
	}
	return strings.Join(list, ", ")
}

// adviseRepeat warns of a request that a retry after silence may carry out twice.
func (s *HTTP) adviseRepeat(env probe.Env) []probe.Fault {
	if probe.Idempotent(s.Method) || s.IdempotencyKey != "" || !s.RetriesSilence(env) {
		return nil
	}
	return []probe.Fault{{Place: "method", Rule: ruleRepeat, Warning: true, Text: fmt.Sprintf(
		"is %s without an idempotency_key: when no answer comes, up to %d attempts may each carry it out; want idempotency_key: auto, or in retry attempts: 1 or unsafe: before_send",
		s.Method, env.Policy.Attempts)}}
}

// advisePlain warns of credentials that everybody on the way can read.
func (s *HTTP) advisePlain(u *url.URL) (faults []probe.Fault) {
	warn := func(place, what string) {
		faults = append(faults, probe.Fault{Place: place, Rule: rulePlain, Warning: true,
			Text: what + " over plain http, where everything on the way can read it, want https"})
	}
	secretQuery := false
	for name := range u.Query() {
		secretQuery = secretQuery || probe.IsSecretParameter(name)
	}
	switch {
	case u.User != nil:
		warn("url", "sends its user and password")
	case secretQuery:
		warn("url", "sends a credential in its query")
	}
	for _, name := range sortedKeys(s.Headers) {
		if probe.IsSecretParameter(name) {
			warn("headers."+name, "is sent")
		}
	}
	return faults
}

// advisePlainProxy warns of credentials for a proxy that everybody on the way to it can read.
func (s *HTTP) advisePlainProxy(u *url.URL) (faults []probe.Fault) {
	warn := func(place, what string) {
		faults = append(faults, probe.Fault{Place: place, Rule: rulePlain, Warning: true,
			Text: what + " to the proxy over plain http, where everything on the way to it can read it, want an https proxy"})
	}
	if u.User != nil {
		warn("proxy", "sends its user and password")
	}
	for _, name := range sortedKeys(s.Proxy.Headers) {
		if probe.IsSecretParameter(name) {
			warn("proxy.headers."+name, "is sent")
		}
	}
	return faults
}

// isLoopback is true of hosts that are this machine itself.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// RetriesSilence is true of a request that may be sent again when no answer came.
func (s *HTTP) RetriesSilence(env probe.Env) bool {
	return probe.Idempotent(s.Method) || s.IdempotencyKey != "" || slices.Contains([]string{"", "before_response"}, string(env.Policy.Unsafe))
}

// SharesConnections is true when HTTP/2 is spoken, or may be.
func (s *HTTP) SharesConnections() bool {
	version := conn.Version(s.Version)
	return version == conn.V2 || version == conn.H2C || version == conn.Auto && strings.HasPrefix(strings.ToLower(s.URL), "https:")
}
