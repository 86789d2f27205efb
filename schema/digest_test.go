package schema

import (
	"testing"
)

// digests are those of a text's probes.
func digests(t *testing.T, text string) []string {
	t.Helper()
	var list []string
	for _, p := range parse(t, text).Probes {
		list = append(list, p.Digest)
	}
	return list
}

const digested = `
probes:
  - name: a
    fake:
      address: a:1
      headers: {A: x, B: y}
      codes: [2xx]
      match: {A: {matches: x+}}
      json: {a: 1}
`

// TestDigestIsKept: what says the same in other words has the same digest.
func TestDigestIsKept(t *testing.T) {
	t.Parallel()
	want := digests(t, digested)[0]
	for name, text := range map[string]string{
		"comments, order, flow": `
# comment
probes: [{fake: {json: {"a": 1}, match: {A: {matches: "x+"}}, codes: 2xx, headers: {B: y, A: x}, address: "a:1"}, name: a}]`,
		"defaults said aloud": `
defaults: {interval: 60s, deadline: 54s, retry: {attempts: 4}}
x-unused: 1
probes:
  - {name: a, timeout: {total: 30s}, fake: {address: "a:1", method: get, headers: {A: x, B: y}, match: {A: {matches: x+}}, json: {a: 1}}}`,
		"other probes": `
probes:
  - {name: z, plain: {address: a}}
  - {name: a, fake: {address: "a:1", headers: {A: x, B: y}, match: {A: {matches: x+}}, json: {a: 1}}}`,
	} {
		if list := digests(t, text); list[len(list)-1] != want {
			t.Errorf("%s: the digest differs", name)
		}
	}
}

// TestDigestTellsApart: every difference that a file can make shows.
func TestDigestTellsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{digests(t, digested)[0]: "the original"}
	for _, text := range []string{
		"name: b, fake: {address: 'a:1'}", "name: a, fake: {address: 'a:1'}", "name: a, plain: {address: 'a:1'}",
		"name: a, group: g, fake: {address: 'a:1'}", "name: a, description: d, fake: {address: 'a:1'}",
		"name: a, interval: 61s, fake: {address: 'a:1'}", "name: a, deadline: none, fake: {address: 'a:1'}",
		"name: a, timeout: {total: none}, fake: {address: 'a:1'}", "name: a, labels: {a: b}, fake: {address: 'a:1'}",
		"name: a, labels: {a: c}, fake: {address: 'a:1'}", "name: a, retry: {budget: {ratio: 0.2}}, fake: {address: 'a:1'}",
		"name: a, retry: {transient: [status]}, fake: {address: 'a:1'}", "name: a, retry: {permanent: [status]}, fake: {address: 'a:1'}",
		"name: a, metrics: {histograms: off}, fake: {address: 'a:1'}", "name: a, metrics: {reasons: false}, fake: {address: 'a:1'}",
		"name: a, connection: {reuse: false}, fake: {address: 'a:1'}",
		"name: a, fake: {address: 'a:1', codes: []}", "name: a, fake: {address: 'a:1', codes: 201}",
		"name: a, fake: {address: 'a:1', tls: {}}", "name: a, fake: {address: 'a:1', tls: {min_version: 1.2}}",
		"name: a, fake: {address: 'a:1', json: {}}", "name: a, fake: {address: 'a:1', json: {a: ~}}",
		"name: a, fake: {address: 'a:1', json: {a: 1}}", "name: a, fake: {address: 'a:1', json: {a: '1'}}", "name: a, fake: {address: 'a:1', json: {a: true}}",
		"name: a, fake: {address: 'a:1', match: {A: {matches: x}}}", "name: a, fake: {address: 'a:1', match: {A: {matches: y}}}",
		"name: a, fake: {address: 'a:1', words: [ab, c]}", "name: a, fake: {address: 'a:1', words: [a, bc]}",
		"name: a, fake: {address: 'a:1', password: hunter22}", "name: a, fake: {address: 'a:1', password: hunter23}",
	} {
		d := digests(t, "probes: [{"+text+"}]")[0]
		if other, taken := seen[d]; taken {
			t.Errorf("%s has the digest of %s", text, other)
		}
		seen[d] = text
	}
}
