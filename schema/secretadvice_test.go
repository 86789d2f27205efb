package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLiteralSecrets(t *testing.T) {
	t.Parallel()
	const text = `
url: https://user:hunter2@example.com/?q=1
callback: https://example.com/?api_key=abc&x=1
filled: https://${USER}@example.com/?token=${file:/run/token}
plain: https://example.com/a@b?business=1#token=x
headers:
  Authorization: Bearer abc
  Cookie: "s=${SESSION}"
  X-Api-Key: "$${not filled}"
  Accept: text/html
json: {user: a, password: b, nested: [{client_secret: 1}]}
tls: {key_file: /etc/key.pem, insecure_skip_verify: true}
idempotency_key: auto
token:
expect: {headers: {Set-Cookie: {contains: session}}}
`
	l := newLoader(World{}, nil)
	d := &document{loader: l, name: "probes.yaml"}
	var got []string
	for _, at := range (*target)(nil).literalSecrets(place{node: d.parse([]byte(text)), doc: d}, nil) {
		got = append(got, at.path.String())
	}
	want := []string{"url", "callback", "headers.Authorization", "headers.X-Api-Key", "json.password", "json.nested[0].client_secret"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
