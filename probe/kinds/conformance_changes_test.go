package kinds_test

import (
	"time"

	"sonde/probe"
	"sonde/probe/kinds"
	"sonde/probe/retry"
)

// changes is several changes as one.
func changes(all ...change) []change { return all }

func method(m string) change {
	return func(s *setup) {
		s.http.Method = m
		if m == "POST" || m == "PATCH" || m == "PUT" {
			s.http.Body = "sku=canary"
		}
	}
}

var (
	post  = method("POST")
	keyed = change(func(s *setup) { s.http.IdempotencyKey = "auto" })
	// https trusts the suite's authority.
	https = change(func(s *setup) {
		s.scheme = "https"
		s.http.TLS = &kinds.TLS{CAFile: papers.authority}
	})
	named   = change(func(s *setup) { s.host = "host.example" })
	noReuse = change(func(s *setup) { s.connection.Reuse = false })
	// matched expects the body that ok has.
	matched = change(func(s *setup) { s.http.Expect.Body.Contains = kinds.Texts{"hello"} })
)

func unsafe(u retry.Unsafe) change       { return func(s *setup) { s.policy.Unsafe = u } }
func attempts(n int) change              { return func(s *setup) { s.policy.Attempts = n } }
func deadline(d time.Duration) change    { return func(s *setup) { s.policy.Deadline = d } }
func transparent(n int) change           { return func(s *setup) { s.policy.Transparent = n } }
func total(d time.Duration) change       { return func(s *setup) { s.limits.Total = d } }
func connect(d time.Duration) change     { return func(s *setup) { s.limits.Connect = d } }
func sockConnect(d time.Duration) change { return func(s *setup) { s.limits.SockConnect = d } }
func sockRead(d time.Duration) change    { return func(s *setup) { s.limits.SockRead = d } }
func perHost(n int) change               { return func(s *setup) { s.connection.PerHost = n } }
func mostConnections(n int) change       { return func(s *setup) { s.most = n } }
func above(a retry.Above) change         { return func(s *setup) { s.policy.RetryAfter.Above = a } }
func body(text string) change            { return func(s *setup) { s.http.Body = text } }
func redirects(n kinds.Redirects) change { return func(s *setup) { s.http.Redirects = n } }
func retryable(set ...kinds.StatusRange) change {
	return func(s *setup) { s.http.RetryableStatus = set }
}
func expected(set ...kinds.StatusRange) change {
	return func(s *setup) { s.http.Expect.Status = set }
}

// worth says of a reason whether another attempt is worth it.
func worth(r probe.Reason, yes bool) change {
	return func(s *setup) { s.transient = map[probe.Reason]bool{r: yes} }
}

// batch ends the batch after d.
func batch(d time.Duration) change { return func(s *setup) { s.end = time.Now().Add(d) } }

// wantsHeader has the probe expect a header that no site of the suite sends.
func wantsHeader(s *setup) {
	s.http.Expect.Headers = map[string]kinds.HeaderRule{"X-Ready": {Equals: "yes"}}
}
