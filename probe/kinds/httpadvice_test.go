package kinds

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
)

func aim(url string) change { return func(s *HTTP) { s.URL = url } }
func header(name, value string) change {
	return func(s *HTTP) { s.Headers = map[string]string{name: value} }
}

// TestHTTPAdvice: what is warned of, and under which rule. A row without wants is not warned of.
func TestHTTPAdvice(t *testing.T) {
	t.Parallel()
	const plain = " over plain http, where everything on the way can read it, want https"
	four, one := retry.Policy{Attempts: 4}, retry.Policy{Attempts: 1}
	for _, test := range []struct {
		name   string
		policy retry.Policy
		change []change
		want   []string // rule, place and text
	}{
		{"the default set", four, nil, nil},
		{"a permanent status", four, []change{retryable(StatusRange{503, 503}, StatusRange{404, 404})},
			[]string{"permanent-status retryable_status[1] is 404, but another attempt does not change 404; want statuses that pass by themselves, such as 429 or 503"}},
		{"a class", four, []change{retryable(StatusRange{400, 499})},
			[]string{"permanent-status retryable_status[0] is 4xx, but another attempt does not change 400, 401, 402 and 17 more; want statuses that pass by themselves, such as 429 or 503"}},
		{"a permanent status that is expected", four, []change{retryable(StatusRange{404, 404}), expectStatus(StatusRange{404, 404})}, nil},
		{"a permanent status and one attempt", one, []change{retryable(StatusRange{404, 404})}, nil},
		{"a POST", four, []change{method("POST")},
			[]string{"unsafe-repeat method is POST without an idempotency_key: when no answer comes, up to 4 attempts may each carry it out; want idempotency_key: auto, or in retry attempts: 1 or unsafe: before_send"}},
		{"a POST with a key", four, []change{method("POST"), key("auto")}, nil},
		{"a POST once", one, []change{method("POST")}, nil},
		{"a POST that is not repeated after sending", retry.Policy{Attempts: 4, Unsafe: retry.UnsafeBeforeSend}, []change{method("POST")}, nil},
		{"a POST that is never repeated", retry.Policy{Attempts: 4, Unsafe: retry.UnsafeNever}, []change{method("POST")}, nil},
		{"a PUT", four, []change{method("PUT")}, nil},
		{"userinfo", four, []change{aim("http://u:p@example.com/?token=x")}, []string{"plain-credentials url sends its user and password" + plain}},
		{"a token in the query", four, []change{aim("http://example.com/?a=1&api_key=x")}, []string{"plain-credentials url sends a credential in its query" + plain}},
		{"a header", one, []change{aim("http://example.com/"), header("authorization", "Bearer x")}, []string{"plain-credentials headers.authorization is sent" + plain}},
		{"a cookie", four, []change{aim("http://example.com/"), header("cookie", "a=b")}, []string{"plain-credentials headers.cookie is sent" + plain}},
		{"https", four, []change{aim("https://u:p@example.com/")}, nil},
		{"loopback", four, []change{aim("http://u:p@127.0.0.1:8080/")}, nil},
		{"loopback of IPv6", four, []change{aim("http://u:p@[::1]/")}, nil},
		{"localhost", four, []change{aim("http://u:p@localhost/")}, nil},
		{"no credentials", four, []change{aim("http://example.com/?page=1"), header("Accept", "text/html")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newHTTP(nil).(*HTTP)
			s.URL = "https://example.com/"
			for _, c := range test.change {
				c(s)
			}
			var got []string
			for _, f := range s.Check(probe.Env{Policy: test.policy}) {
				if !f.Warning {
					t.Errorf("%s is no warning", f.Error())
				}
				got = append(got, f.Rule+" "+f.Error())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestHTTPAdvisesOfAVainSet: retry.permanent beats retryable_status, so that a set of one's own beside
// it is in vain.
func TestHTTPAdvisesOfAVainSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		set       StatusSet
		transient map[probe.Reason]bool
		warned    bool
	}{
		{"permanent", StatusSet{{503, 503}}, map[probe.Reason]bool{probe.ReasonStatus: false}, true},
		{"permanent beside the default set", defaultRetryable(), map[probe.Reason]bool{probe.ReasonStatus: false}, false},
		{"permanent and no set", StatusSet{}, map[probe.Reason]bool{probe.ReasonStatus: false}, false},
		{"transient", StatusSet{{503, 503}}, map[probe.Reason]bool{probe.ReasonStatus: true}, false},
		{"another reason", StatusSet{{503, 503}}, map[probe.Reason]bool{probe.ReasonAssertion: false}, false},
	} {
		s := newHTTP(nil).(*HTTP)
		s.URL, s.RetryableStatus = "https://example.com/", test.set
		faults := s.Check(probe.Env{Policy: retry.Policy{Attempts: 2}, Transient: test.transient})
		if warned := len(faults) == 1 && faults[0].Rule == rulePermanent && faults[0].Place == "retryable_status"; warned != test.warned || len(faults) > 1 {
			t.Errorf("%s: got %v, want a warning: %v", test.name, faults, test.warned)
		}
	}
}

// TestHTTPAdvisesOfJSONInQuotes: a text that is JSON itself would be sent as a string.
func TestHTTPAdvisesOfJSONInQuotes(t *testing.T) {
	t.Parallel()
	for value, warned := range map[any]bool{`{"a": 1}`: true, `[1]`: true, `{a: 1}`: false, "": false, "a": false, 1: false} {
		s := newHTTP(nil).(*HTTP)
		s.URL, s.Method, s.IdempotencyKey, s.JSON = "https://example.com/", "POST", "auto", value
		if faults := s.Check(probe.Env{}); (len(faults) == 1 && faults[0].Warning && faults[0].Place == "json") != warned || len(faults) > 1 {
			t.Errorf("json: %v: got %v, want a warning: %v", value, faults, warned)
		}
	}
}

// TestHTTPSharesConnections holds that probes that may speak HTTP/2 are taken to share a connection.
func TestHTTPSharesConnections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url, version string
		want         bool
	}{
		{"https://h/", "auto", true}, {"HTTPS://h/", "auto", true}, {"http://h/", "auto", false},
		{"https://h/", "1.1", false}, {"https://h/", "2", true}, {"http://h/", "h2c", true},
	} {
		if got := (&HTTP{URL: tt.url, Version: HTTPVersion(tt.version)}).SharesConnections(); got != tt.want {
			t.Errorf("%s with version %s shares: %t, want %t", tt.url, tt.version, got, tt.want)
		}
	}
}
