package probe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestNoSinkIsToldASecret: whatever a prober puts into an attempt, sinks see it masked, and errors.Is
// reaches the leaf all the same.
func TestNoSinkIsToldASecret(t *testing.T) {
	t.Parallel()
	const secret = `hunter2 "&`
	facts := &probe.TLSFacts{Chain: []probe.Certificate{{Subject: secret, Issuer: secret, Names: []string{secret}}}}
	failed := fails(probe.ReasonConnectRefused).with(func(a *probe.Attempt) {
		a.Err = errors.Join(fmt.Errorf("asking %q: %w", secret, syscall.ECONNREFUSED), errors.New("hunter2+%22%26"))
		a.RemoteAddress, a.Proxy = secret+":443", secret+":3128"
		a.Addresses = []probe.AddressError{{Address: secret, Err: errors.New(secret)}}
		a.HTTP = &probe.HTTP{
			URL: "https://x/hunter2%20%22&", BodyHead: "you said " + secret + ` or hunter2 &#34;&amp;`,
			Hops: []probe.Hop{{URL: secret, RemoteAddress: secret, Proxy: secret}},
		}
		a.TLS = facts
	})
	_, r := play(t.Context(), new(retry.Engine), func(p *probe.Probe) {
		p.Policy.Attempts = 1
		p.Secrets.Add(secret)
	}, failed)
	a := r.Attempts[0]
	told := fmt.Sprintf("%v\n%v\n%v\n%+v", r.Err, a.Err, a.Addresses, *a.HTTP) + a.RemoteAddress + a.Proxy + a.HTTP.BodyHead + fmt.Sprint(a.TLS.Chain)
	if strings.Contains(told, "hunter2") {
		t.Errorf("a sink is told the secret:\n%s", told)
	}
	if want := `asking "<secret>": connection refused; <secret>`; a.Err.Error() != want {
		t.Errorf("the error is %q, want %q", a.Err, want)
	}
	if !errors.Is(r.Err, syscall.ECONNREFUSED) {
		t.Errorf("%v does not reach its leaf", r.Err)
	}
}

func TestShortTextsAreNoSecrets(t *testing.T) {
	t.Parallel()
	var s probe.Secrets
	for _, text := range []string{"", "a", "eu", "  x "} {
		s.Add(text)
	}
	if got := s.Text("a b eu x"); got != "a b eu x" {
		t.Errorf("shown as %q", got)
	}
	s.Add("key")
	s.Add("key-long")
	if got := s.Text("key key-long"); got != "<secret> <secret>" {
		t.Errorf("shown as %q, want the longest masked whole", got)
	}
}

// TestSecretsAreMaskedInEveryForm: as they are, and as URLs, HTML, JSON and Go write them.
func TestSecretsAreMaskedInEveryForm(t *testing.T) {
	t.Parallel()
	const secret = "a \"b\"<c>&\t/\x01é\\"
	inJSON, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	var s probe.Secrets
	s.Add(secret)
	for form, text := range map[string]string{
		"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "HTML": html.EscapeString(secret),
		"JSON": strings.Trim(string(inJSON), `"`), "Go": strings.TrimSuffix(strconv.Quote(secret)[1:], `"`),
	} {
		if got := s.Text("x" + text + "y"); got != "x<secret>y" {
			t.Errorf("%s: %q is shown as %q", form, text, got)
		}
	}
}
