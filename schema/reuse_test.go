package schema

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// load is the set of a text that has no problem, beside these files.
func load(t *testing.T, text string, files map[string]string) *Set {
	t.Helper()
	set, err := parseIn("probes.yaml", []byte(text), files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// settingsOf are the settings of the probe of a name.
func settingsOf(t *testing.T, set *Set, name string) *fakeSettings {
	t.Helper()
	for _, p := range set.Probes {
		if p.Name == name {
			return p.Prober.(*fakeProber).settings
		}
	}
	t.Fatalf("there is no probe %s among %q", name, names(set))
	return nil
}

func TestTargetsHaveStableNames(t *testing.T) {
	t.Parallel()
	set := load(t, `
probes:
  - name: shop
    targets:
      - https://u:p@EU.example.com/Status%20page/?x=y#z
      - 10.0.0.1:9100
      - "[2001:db8::7]:443"
      - "host name"
      - {name: own, target: x}
      - 5432
    plain: {address: "{{target}}"}
`, nil)
	want := []string{"shop.eu.example.com-status-20page-x-y", "shop.10.0.0.1-9100", "shop.2001-db8-7-443", "shop.host-name", "shop.own", "shop.5432"}
	if diff := cmp.Diff(want, names(set)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTargetsFillInValues(t *testing.T) {
	t.Parallel()
	set := load(t, `
profiles:
  fast: {interval: "{{target.every}}", labels: {zone: "z-{{target.labels.region}}", region: profile}}
probes:
  - name: a
    use: fast
    description: "{{ target.name }} {{'{{'}}x}} $${y"
    targets: [{name: eu, host: h, port: 1, wide: 3, every: 10s, labels: {region: west}}, {name: us, host: h, port: 2, wide: 4, every: 20s, labels: {region: "$$"}}]
    fake: {address: "{{target.host}}:{{target.port}}", width: "{{target.wide}}", loud: true, json: ["{{target.wide}}"]}
`, nil)
	p, s := set.Probes[1], settingsOf(t, set, "a.us")
	if p.Interval != 20*time.Second || p.Description != "us {{x}} ${y" || s.Address != "h:2" || s.Width != 4 {
		t.Errorf("got %+v with %+v", p, s)
	}
	if diff := cmp.Diff([]probe.Label{{Name: "region", Value: "$"}, {Name: "zone", Value: "z-$"}}, p.Labels); diff != "" {
		t.Errorf("labels, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]any{"4"}, s.JSON); diff != "" {
		t.Errorf("json, -want +got:\n%s", diff)
	}
}

// TestLabelsOfFilesThatAreTaken are borne under another name, and stay fields under their own.
func TestLabelsOfFilesThatAreTaken(t *testing.T) {
	t.Parallel()
	set := load(t, `
probes:
  - {name: a, group: "{{target.labels.group}}", targets_from: {file: sd.json}, fake: {address: "a:1"}}
`, map[string]string{
		"sd.json": `[{"targets": ["one", "two"], "labels": {"group": "g", "exported_group": "e"}}, {"targets": ["one"], "labels": {"exported_group": "e", "group": "g"}}]`,
	})
	if diff := cmp.Diff([]string{"a.one", "a.two"}, names(set)); diff != "" {
		t.Errorf("names, -want +got:\n%s", diff)
	}
	labels := []probe.Label{{Name: "exported_exported_group", Value: "g"}, {Name: "exported_group", Value: "e"}}
	if diff := cmp.Diff(labels, set.Probes[1].Labels); diff != "" || set.Probes[1].Group != "g" {
		t.Errorf("group is %q; labels, -want +got:\n%s", set.Probes[1].Group, diff)
	}
}

// TestTargetsOfFiles: what other programs write is taken as it stands, and cannot reach the environment.
func TestTargetsOfFiles(t *testing.T) {
	t.Parallel()
	set := load(t, `
probes:
  - name: a
    labels: {own: x, env: own}
    targets_from: {file: ["sd/*.json", "sd/*.yaml"]}
    fake: {address: "a:1", headers: {T: "{{target}}", M: "{{target.__meta}}", E: "{{target.labels.env}}"}}
`, map[string]string{
		"sd/a.json": "[\n\t{\"targets\": [\"one\", \"$x ${SECRET} {{target}}\"],\n\t\"labels\": {\"env\": \"${SECRET}\", \"__meta\": \"$$\", \"job\": \"node\"}}]",
		"sd/b.yaml": "- targets: [two]\n  labels: {env: prod, __meta: 1}\n- targets: []\n",
		"sd/c.yaml": "[]\n",
	})
	if diff := cmp.Diff([]string{"a.one", "a.x-secret-target", "a.two"}, names(set)); diff != "" {
		t.Errorf("names, -want +got:\n%s", diff)
	}
	want := map[string]string{"T": "$x ${SECRET} {{target}}", "M": "$$", "E": "${SECRET}"}
	if diff := cmp.Diff(want, settingsOf(t, set, "a.x-secret-target").Headers); diff != "" {
		t.Errorf("headers, -want +got:\n%s", diff)
	}
	labels := []probe.Label{{Name: "env", Value: "${SECRET}"}, {Name: "own", Value: "x"}}
	if diff := cmp.Diff(labels, set.Probes[0].Labels); diff != "" {
		t.Errorf("labels, -want +got:\n%s", diff)
	}
}

func TestProfilesOverDefaults(t *testing.T) {
	t.Parallel()
	set := load(t, `
include: sub/base.yaml
defaults: {interval: 7m, group: base, retry: {attempts: 7, transient: [status]}}
profiles:
  web: {interval: 5m, fake: {method: post, headers: {A: p, B: p}, tls: {key_file: k.pem}, numbers: [200, 201]}}
probes:
  - {name: a, use: [web, far], fake: {address: "a:1", headers: {B: own}, numbers: [300]}}
`, map[string]string{
		"sub/base.yaml": "defaults: {group: not-this}\nprofiles: {far: {timeout: {total: 9s}, retry: {permanent: [status]}, fake: {method: delete, url: 'http://x/', tls: {cert_file: c.pem}}}}\n",
	})
	p, s := set.Probes[0], settingsOf(t, set, "a")
	if p.Interval != 5*time.Minute || p.Group != "base" || p.Policy.Attempts != 7 || p.Limits.Total != 9*time.Second {
		t.Errorf("common values are %+v", p)
	}
	if diff := cmp.Diff(map[probe.Reason]bool{"status": false}, p.Transient); diff != "" {
		t.Errorf("overrides: a profile's list beats one of defaults, -want +got:\n%s", diff)
	}
	if s.Method != "delete" || len(s.Headers) != 2 || s.Headers["B"] != "own" || len(s.Numbers) != 1 {
		t.Errorf("settings are %+v", s)
	}
	if want := (fakeTLS{CertFile: "sub/c.pem", KeyFile: "k.pem"}); *s.TLS != want {
		t.Errorf("a path starts at the folder of the file that holds it: got %+v, want %+v", *s.TLS, want)
	}
}

func TestFilledValues(t *testing.T) {
	t.Parallel()
	set := load(t, `
probes:
  - name: a
    targets: [{name: x, key: "k-${cred:token}"}]
    fake:
      address: "${REGION}:1"
      width: ${NUMBER}
      headers: {A: "${file:/run/secrets/token}", B: "${file:/run/secrets/two-lines}", C: "{{target.key}} $$${NUMBER}"}
      json: ["${NUMBER}", "${EMPTY:-}", "${EMPTY:-d}", "${NONE:-}", "${NONE:-a b:c}"]
      password: ${SHORT}-12345678
`, nil)
	p, s := set.Probes[0], settingsOf(t, set, "a.x")
	headers := map[string]string{"A": sentinel, "B": "hunter2\n", "C": "k-" + sentinel + " $3"}
	if diff := cmp.Diff(headers, s.Headers); diff != "" {
		t.Errorf("headers, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]any{"3", "", "d", "", "a b:c"}, s.JSON); diff != "" {
		t.Errorf("json, -want +got:\n%s", diff)
	}
	if s.Width != 3 || s.Password != "ab-12345678" || s.Address != "eu-west:1" {
		t.Errorf("settings are %+v", s)
	}
	if p.Target != "<secret>:1" {
		t.Errorf("the target is shown as %q", p.Target)
	}
	if got := p.Secrets.Text(sentinel + " eu-west 3 ab d a b:c"); got != "<secret> <secret> 3 ab d a b:c" {
		t.Errorf("masked as %q: defaults are no secrets, nor is what is shorter than three characters", got)
	}
}

// TestDigestKnowsWhatWasFilledIn: a secret that has changed changes its probe, and no other.
func TestDigestKnowsWhatWasFilledIn(t *testing.T) {
	t.Parallel()
	const text = "probes:\n- {name: a, fake: {address: 'a:1', password: '${file:key}'}}\n- {name: b, plain: {address: b}}\n"
	one, two := load(t, text, map[string]string{"key": "12345678"}), load(t, text, map[string]string{"key": "12345679"})
	if one.Probes[0].Digest == two.Probes[0].Digest {
		t.Error("the digest does not tell two secrets apart")
	}
	if one.Probes[1].Digest != two.Probes[1].Digest || one.Hash != two.Hash {
		t.Error("another probe or the hash of the files depends on the secret")
	}
}

func TestReachIsWhatWasReadAndLookedFor(t *testing.T) {
	t.Parallel()
	files := map[string]string{"inc/a.yaml": "profiles: {}\n", "sd.json": "[]", "key": "12345678"}
	w := worldOf(files)
	l := newLoader(w, fakeKinds())
	l.file(&document{name: "dir/probes.yaml"}, []byte(`
include: [../inc/*.yaml, gone.yaml]
probes:
  - {name: a, targets_from: {file: ../sd.json}, fake: {address: "{{target}}"}}
  - {name: b, fake: {address: "b:1", password: "${file:../key}", headers: {A: "${cred:token}", B: "${file:none}"}}}
`))
	c := l.checked()
	want := []string{"dir/probes.yaml", "inc/a.yaml", "dir/gone.yaml", "sd.json", "key", "/creds/token", "dir/none"}
	if diff := cmp.Diff(want, c.Files); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"inc/*.yaml"}, c.Patterns); diff != "" {
		t.Errorf("patterns, -want +got:\n%s", diff)
	}
	if len(c.Sums) != 5 || c.Set != nil {
		t.Errorf("%d sums, want one of each of the 5 files that are there, and no set", len(c.Sums))
	}
}

func TestEffectiveOfAllLayers(t *testing.T) {
	t.Parallel()
	set := load(t, `
defaults: {group: g, labels: {a: d}}
profiles:
  web: {labels: {b: "{{target}}"}, fake: {headers: {A: "${SECRET}", B: "x ${SECRET} ${NONE:-y}"}}}
probes:
  - name: a
    use: web
    targets: [{name: eu, target: "one: two", labels: {c: t}}]
    fake: {address: "a:1", headers: {C: "{{target}}"}, password: "${SECRET}", match: {X: {matches: "a|b"}}}
`, nil)
	view := shownAs(set.Effective()[0])
	for _, want := range []string{
		"name: a.eu # probes.yaml:8 (target)\n",
		"group: g # probes.yaml:2 (defaults)\n",
		"labels.c: t # probes.yaml:8 (target)\nlabels.b: \"one: two\" # probes.yaml:4 (profile web)\nlabels.a: d # probes.yaml:2 (defaults)\n",
		"fake.headers.C: \"one: two\" # probes.yaml:9 (probe)\n",
		"fake.headers.A: \"${SECRET}\" # probes.yaml:4 (profile web)\n",
		"fake.headers.B: \"x ${SECRET} ${NONE:-y}\" # probes.yaml:4 (profile web)\n",
		"fake.password: \"${SECRET}\" # probes.yaml:9 (probe)\n",
	} {
		if !strings.Contains(view, want) {
			t.Errorf("want %s in\n%s", want, view)
		}
	}
	if strings.Contains(view, "hunter2") {
		t.Errorf("a secret is shown:\n%s", view)
	}
}

// TestAWorldWithNothingInIt has neither variables nor files.
func TestAWorldWithNothingInIt(t *testing.T) {
	t.Parallel()
	_, err := World{}.Parse("probes.yaml", []byte("include: [a.yaml, '*.yaml']\nprobes:\n- {name: a, plain: {address: '${HOME}'}}\n"), fakeKinds())
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v, want a problem with a.yaml and one with ${HOME}", err)
	}
}
