package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/schema"
)

// TestAGreatFileOfRealKinds: what run reads on all cores is what others read, and no two of its readers are
// in each other's way.
func TestAGreatFileOfRealKinds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "probes.yaml")
	if err := os.WriteFile(path, variousProbes(1200), 0o600); err != nil {
		t.Fatal(err)
	}
	network := conn.New(conn.Options{})
	defer network.Close()
	all, lean := kinds.All(network, "test"), &schema.Memory{Lean: true}
	whole, err := schema.System().Load([]string{path}, all)
	if err != nil {
		t.Fatal(err)
	}
	ahead, err := lean.Check(schema.System(), []string{path}, all)
	if err != nil || ahead.Set == nil {
		t.Fatal(err, ahead)
	}
	if diff := cmp.Diff(tellingOf(whole), tellingOf(ahead.Set)); diff != "" {
		t.Errorf("-as others read it +as run does:\n%s", diff)
	}
	if n := len(ahead.Set.Names()); n > 0 {
		t.Errorf("%d probes were read as others read them, want none", n)
	}
	closeAll(whole.Probes)
	closeAll(ahead.Set.Probes)
}

// variousProbes is a file of probes that differ in what their kinds make of them.
func variousProbes(n int) []byte {
	var b bytes.Buffer
	b.WriteString("profiles:\n  api: {retry: {attempts: 2}, http: {headers: {Accept: text/html}, expect: {body: {matches: \"o[k]\"}}}}\nprobes:\n")
	for i := range n {
		switch host := fmt.Sprintf("host-%d.example.com", i/3); i % 4 {
		case 0:
			fmt.Fprintf(&b, "  - {name: p%d, use: api, http: {url: \"https://%s/health?a=b\"}}\n", i, host)
		case 1:
			fmt.Fprintf(&b, "  - {name: p%d, labels: {team: web}, tcp: {address: \"%s:25\", dialogue: [{expect: \"^220 \"}, {send: \"QUIT\\r\\n\"}]}}\n", i, host)
		case 2:
			fmt.Fprintf(&b, "  - {name: p%d, http: {url: \"http://%s/\", method: POST, json: {a: [1, x]}, idempotency_key: auto, proxy: \"http://proxy.example.com:3128\"}}\n", i, host)
		default:
			fmt.Fprintf(&b, "  - {name: p%d, use: api, targets: [{name: a, host: a.%s}, {name: b, host: b.%s}], http: {url: \"https://{{target.host}}/\", tls: {min_version: TLS13}}}\n", i, host, host)
		}
	}
	return b.Bytes()
}

// tellingOf says of each probe what tells it from others.
func tellingOf(set *schema.Set) (list []string) {
	for _, p := range set.Probes {
		list = append(list, fmt.Sprintf("%s %s %s %s %x", p.Name, p.Target, p.Host, p.Source, p.Digest))
	}
	return list
}
