package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"sonde/schema"
)

func newSite(reload func(context.Context) (string, error)) *site {
	say := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text+r.URL.Path) })
	}
	return &site{page: say("page at "), metrics: say("metrics at "), reload: reload}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	good := func(context.Context) (string, error) { return "1 added", nil }
	bad := func(context.Context) (string, error) {
		return "", schema.Problems{{File: "probes.yaml", Line: 1, Column: 1, Text: "is wrong", Rule: "kind"},
			{File: "probes.yaml", Line: 2, Column: 1, Text: "too\x1b", Rule: "settings"}}
	}
	gone := func(context.Context) (string, error) { return "", errors.New("open \x1b: no such file or directory") }
	for _, tt := range []struct {
		name, method, prefix, path string
		reload                     func(context.Context) (string, error)
		ready                      bool
		status                     int
		body                       string
	}{
		{"page", "GET", "", "/", good, true, 200, "page at /"},
		{"page below a prefix", "GET", "/sonde", "/sonde/", good, true, 200, "page at /"},
		{"the prefix without its slash", "GET", "/sonde", "/sonde", good, true, 302, "<a href=\"/sonde/\">Found</a>.\n\n"},
		{"what begins as the prefix does", "GET", "/sonde", "/sondes/metrics", good, true, 404, "404 page not found\n"},
		{"what a pattern would match", "GET", "/{x}", "/y/metrics", good, true, 404, "404 page not found\n"},
		{"the way to the prefix", "GET", "/sonde", "/", good, true, 302, "<a href=\"/sonde/\">Found</a>.\n\n"},
		{"metrics", "GET", "", "/metrics", good, true, 200, "metrics at /metrics"},
		{"metrics below a prefix", "GET", "/sonde", "/sonde/metrics", good, true, 200, "metrics at /metrics"},
		{"metrics, posted", "POST", "", "/metrics", good, true, 405, "Method Not Allowed\n"},
		{"healthy, before ready", "GET", "", "/-/healthy", good, false, 200, "sonde is healthy.\n"},
		{"healthy, head", "HEAD", "", "/-/healthy", good, false, 200, ""},
		{"not ready", "GET", "", "/-/ready", good, false, 503, "sonde is not ready.\n"},
		{"ready", "GET", "", "/-/ready", good, true, 200, "sonde is ready.\n"},
		{"reload, posted", "POST", "", "/-/reload", good, true, 200, "1 added\n"},
		{"reload, put", "PUT", "", "/-/reload", good, true, 200, "1 added\n"},
		{"reload, got", "GET", "", "/-/reload", good, true, 405, "Method Not Allowed\n"},
		{"reload, deleted", "DELETE", "", "/-/reload", good, true, 405, "Method Not Allowed\n"},
		{"reload of a bad file", "POST", "", "/-/reload", bad, true, 500,
			"reload failed; what ran before runs on:\nprobes.yaml:1:1: is wrong [kind]\nprobes.yaml:2:1: too\\x1b [settings]\n" +
				"sonde check --explain RULE says more of a rule.\n"},
		{"reload of a file that is gone", "POST", "", "/-/reload", gone, true, 500,
			"reload failed; what ran before runs on:\nopen \\x1b: no such file or directory\n"},
		{"what is not built yet", "GET", "", "/api/v1/probes", good, true, 404, "404 page not found\n"},
		{"no profiles", "GET", "", "/debug/pprof/", good, true, 404, "404 page not found\n"},
		{"outside of the prefix", "GET", "/sonde", "/metrics", good, true, 404, "404 page not found\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(tt.reload)
			s.ready.Store(tt.ready)
			server := httptest.NewServer(s.routes(tt.prefix))
			defer server.Close()
			req, _ := http.NewRequest(tt.method, server.URL+tt.path, nil)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != tt.status || string(body) != tt.body {
				t.Errorf("%s %s answers %d %q, want %d %q", tt.method, tt.path, resp.StatusCode, body, tt.status, tt.body)
			}
		})
	}
}

// A page on the web must not be able to make a visitor's browser reload a sonde of the visitor's.
func TestNoReloadFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	req := httptest.NewRequest("POST", "/-/reload", nil)
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	newSite(func(context.Context) (string, error) {
		t.Error("it reloads")
		return "", nil
	}).routes("").ServeHTTP(w, req)
	if w.Code != http.StatusForbidden {
		t.Errorf("status %d, want 403", w.Code)
	}
}
