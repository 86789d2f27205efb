package kinds_test

import (
	"slices"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// toThere redirects to the other site.
func toThere(code int) turn { return status(code, "Location: http://192.0.2.2/next") }

// redirectRows are C59, and breaks on the second hop.
var redirectRows = []row{
	{id: "C59 loop", version: "1.1 h2c", server: []turn{status(302, "Location: /")},
		tries: "redirect_loop@transfer:W", requests: 11, end: "down redirect_loop permanent", counts: "a1 f1"},
	{id: "C59 ftp", version: "1.1 h2c", server: []turn{status(302, "Location: ftp://192.0.2.2/")},
		tries: "redirect_invalid@transfer:W", requests: 1, end: "down redirect_invalid permanent", counts: "a1 f1"},
	{id: "C59 hop 2", server: []turn{toThere(302)}, second: []turn{refused, ok},
		tries: "connect_refused@connect:N ok", requests: 3, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1", check: hopsKept},

	// Beyond the table.
	{id: "an unreadable Location", server: []turn{status(302, "Location: http://[::1")},
		tries: "redirect_invalid@transfer:W", requests: 1, end: "down redirect_invalid permanent", counts: "a1 f1"},
	{id: "a Location with a zone, which would be ours", server: []turn{status(302, "Location: http://[fe80::1%25eth0]/")},
		tries: "redirect_invalid@transfer:W", requests: 1, end: "down redirect_invalid permanent", counts: "a1 f1"},
	{id: "redirects none", server: statuses(302), with: changes(redirects(0)),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "one redirect too many", server: []turn{status(302, "Location: /a"), status(302, "Location: /b"), ok}, with: changes(redirects(1)),
		tries: "redirect_loop@transfer:W", requests: 2, end: "down redirect_loop permanent", counts: "a1 f1"},
	{id: "as many redirects as are followed", version: "1.1 h2c", server: []turn{status(302, "Location: /a"), ok}, with: changes(redirects(1)),
		tries: "ok", requests: 2, connections: 1, end: "up success", counts: "a1"},
	{id: "hop 2 breaks, POST turned into GET", server: []turn{toThere(302)}, second: []turn{fin}, with: changes(post),
		tries: "disconnected@wait:W", requests: 2, end: "down disconnected unsafe_after_response", counts: "a1 f1", check: methods("POST", "GET")},
	{id: "hop 2 refused, POST turned into GET", server: []turn{toThere(303)}, second: []turn{refused}, with: changes(post),
		tries: "connect_refused@connect:W", requests: 1, end: "down connect_refused unsafe_after_response", counts: "a1 f1"},
	{id: "hop 2 breaks, POST kept", server: []turn{toThere(307)}, second: []turn{fin, ok}, with: changes(post),
		tries: "disconnected@wait:U ok", requests: 4, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 amb1 fl1",
		check: methods("POST", "POST", "POST", "POST")},
	{id: "hop 2 refused, POST kept, before_send", server: []turn{toThere(308)}, second: []turn{refused, ok}, with: changes(post, unsafe(retry.UnsafeBeforeSend)),
		tries: "connect_refused@connect:N ok", requests: 3, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "hop 2 answers half, POST kept", server: []turn{toThere(307)}, second: []turn{half(fin)}, with: changes(post),
		tries: "body_truncated@transfer:W", requests: 2, end: "down body_truncated unsafe_after_response", counts: "a1 f1"},
	{id: "hop 2 answers half, the key stayed behind", server: []turn{toThere(307)}, second: []turn{half(fin)}, with: changes(post, keyed),
		tries: "body_truncated@transfer:W", requests: 2, end: "down body_truncated unsafe_after_response", counts: "a1 f1"},
	{id: "hop 2 is silent", server: []turn{toThere(302)}, second: []turn{silent, ok},
		tries: "limit_sock_read@wait:U ok", requests: 4, end: "flaky success", waits: "750ms", took: "10.75s", counts: "a2 r1 fl1"},
	{id: "hop 2 does not connect", server: []turn{after(4*time.Second, toThere(302))}, second: []turn{unanswered}, with: changes(attempts(1), sockConnect(0)),
		tries: "limit_connect@connect:N", requests: 1, end: "down limit_connect attempts", took: "9s", counts: "a1 f1"},
	{id: "hops share one total", server: []turn{after(6*time.Second, toThere(302))}, second: []turn{after(6*time.Second, ok)}, with: changes(attempts(1), total(10*time.Second)),
		tries: "limit_total@wait:U", requests: 2, end: "down limit_total attempts", took: "10s", counts: "a1 f1"},
	{id: "hop 2 asks to wait", server: []turn{toThere(302)}, second: []turn{status(503, "Retry-After: 7"), ok},
		tries: "status@transfer:W ok", requests: 4, end: "flaky success", waits: "7.25s*", took: "7.25s", counts: "a2 r1 fl1"},
	{id: "hop 2 goes stale", server: []turn{toThere(302)}, second: []turn{ok, fin, ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 4, end: "up success", counts: "a1 t1"},
	{id: "hop 1 goes stale", server: []turn{toThere(302), fin, toThere(302)}, second: []turn{ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 3, end: "up success", counts: "a1 t1"},
	{id: "REFUSED_STREAM on hop 2", version: "h2c", server: []turn{status(307, "Location: /next"), resets(7), status(307, "Location: /next"), ok}, with: changes(post),
		tries: "h2_refused@wait:R +ok", requests: 4, end: "up success", counts: "a1 t1"},
	{id: "credentials stay with their host", server: []turn{toThere(307)}, second: []turn{ok}, with: changes(post, keyed),
		tries: "ok", requests: 2, end: "up success", counts: "a1", check: noCredentialsThere},
}

// hopsKept checks that the attempt whose second hop was refused keeps the first, which is the last response
// that came.
func hopsKept(l *lab, r *probe.Result) {
	for _, a := range r.Attempts {
		if a.HTTP == nil || len(a.HTTP.Hops) != 1 || a.HTTP.Hops[0].Status != 302 || a.HTTP.Hops[0].RemoteAddress != here+":80" {
			l.t.Errorf("attempt %d keeps %+v, want the redirect", a.Number, a.HTTP)
		} else if last := a.HTTP.Hops[0]; !a.OK && (a.HTTP.Status != last.Status || a.HTTP.URL != last.URL) {
			l.t.Errorf("attempt %d was answered last by %+v, want the redirect", a.Number, a.HTTP)
		}
	}
}

// methods checks the methods that came, here and there by turns.
func methods(want ...string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		var got []string
		second := l.sites[there].requests()
		for i, s := range l.sites[here].requests() {
			got = append(got, s.method, second[i].method)
		}
		if !slices.Equal(got, want) {
			l.t.Errorf("the methods were %v, want %v", got, want)
		}
	}
}

func noCredentialsThere(l *lab, r *probe.Result) {
	first, second := l.sites[here].requests()[0], l.sites[there].requests()[0]
	if first.credentials == "" || first.key == "" || second.credentials != "" || second.key != "" {
		l.t.Errorf("here came %+v, there %+v; want credentials and key here alone", first, second)
	}
}
