package report

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"sonde/probe/kinds"
	"sonde/schema"
)

// faulty are blocks of which each has faults in what its keys owe each other.
var faulty = []string{
	`http: {url: "https://a.example/", version: h2c, json: {a: 1}, form: {a: b}, tls: {cert_file: a.pem}, proxy: "socks5://x:1"}`,
	`http: {url: "http://a.example/", version: "2", method: post, headers: {Content-Length: "5", Bad Name: x}, body: x, json: 1}`,
	`http: {url: "ftp://a.example/", method: CONNECT, headers: {Connection: close, Idempotency-Key: a}, idempotency_key: b}`,
	`http: {url: "https://u:p@a.example/", method: HEAD, headers: {Authorization: x}, expect: {body: {contains: a, not_contains: [a, ""]}, headers: {A: {absent: true, equals: b}, B: {}}}}`,
	`http: {url: "https://a.example/", method: TRACE, body: x, tls: {key_file: a.key}, expect: {body: {matches: [a], not_matches: a, contains: xxx}, max_body: 2B}}`,
	`http: {url: "https://a.example/", proxy: {url: environment, no_proxy: a, headers: {Host: b, X: "a\nb"}}}`,
	`http: {url: "https://a.example/", proxy: {no_proxy: a, headers: {X: b}}, headers: {Upgrade: h2c, Proxy-Authorization: x}}`,
	`tcp: {address: "no port", tls: {cert_file: a.pem}, dialogue: [{expect: a, send: b}, {}]}`,
}

// TestOneMoreBadValueHidesNothingElsewhere: a value that cannot be read takes away no problem but those
// at it and those that name it, and adds none but its own.
func TestOneMoreBadValueHidesNothingElsewhere(t *testing.T) {
	t.Parallel()
	for _, text := range faulty {
		var probe map[string]any
		if err := yaml.Unmarshal([]byte(text), &probe); err != nil {
			t.Fatal(err)
		}
		before := texts(t, probe)
		if len(before) == 0 {
			t.Errorf("%s has no problem", text)
		}
		for kind, block := range probe {
			for _, key := range append(keysBelow("", block), "redirects", "expect.status", "tls", "tls.min_version", "tls.key_file", "method", "url", "proxy.url", "headers.Host") {
				if key == "json" || strings.Contains(key, " ") || kind == "tcp" && !strings.HasPrefix(key, "tls") {
					continue
				}
				bad, ok := spoilt(block, strings.Split(key, "."))
				if ok {
					hidesNothing(t, text, "probes[0]."+kind+"."+key, before, texts(t, map[string]any{kind: bad}))
				}
			}
		}
	}
}

// decides is what a key decides without being named.
var decides = map[string]string{
	"headers": "beside the header", "Idempotency-Key": "beside the header", "equals": "beside another rule",
	"method": "a response to HEAD", "url": "an upgrade", "Upgrade": "an upgrade",
}

// hidesNothing holds the problems of a block against those of the same with a bad value at a path.
func hidesNothing(t *testing.T, text, at string, before, after []string) {
	t.Helper()
	key := at[strings.LastIndexByte(at, '.')+1:]
	for _, p := range before {
		path, says, _ := strings.Cut(p, " ")
		if !slices.Contains(after, p) && !related(path, at) && !strings.Contains(strings.ToLower(says), key) && (decides[key] == "" || !strings.Contains(says, decides[key])) {
			t.Errorf("%s\na bad %s hides %s", text, at, p)
		}
	}
	for _, p := range after {
		path, _, _ := strings.Cut(p, " ")
		if !slices.Contains(before, p) && path != at && !related(path, at) {
			t.Errorf("%s\na bad %s adds %s", text, at, p)
		}
	}
}

// related is true of paths of which one is below the other.
func related(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// texts are the problems of a probe.
func texts(t *testing.T, block map[string]any) (list []string) {
	t.Helper()
	probe := maps.Clone(block)
	probe["name"] = "a"
	data, err := yaml.Marshal(map[string]any{"probes": []any{probe}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = schema.Parse("probes.yaml", data, kinds.All(nil, "test"))
	var problems schema.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			list = append(list, p.Text)
		}
	}
	return list
}

// keysBelow are the paths of the values in mappings.
func keysBelow(at string, v any) (list []string) {
	m, ok := v.(map[string]any)
	if !ok || strings.HasPrefix(at, "json") {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		path := strings.TrimPrefix(at+"."+key, ".")
		list = append(append(list, path), keysBelow(path, m[key])...)
	}
	return list
}

// spoilt is a block with a value at a path that nothing takes; false where the path leads through what is no
// mapping.
func spoilt(block any, path []string) (any, bool) {
	if len(path) == 0 {
		return []any{[]any{[]any{}}}, true
	}
	if block == nil {
		block = map[string]any{}
	}
	m, ok := block.(map[string]any)
	if !ok {
		return nil, false
	}
	m = maps.Clone(m)
	m[path[0]], ok = spoilt(m[path[0]], path[1:])
	return m, ok
}
