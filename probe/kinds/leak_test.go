package kinds

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sonde/probe"
)

const leakToken = "B34rer-t0kZ"

// leaks are the credentials of a probe that has leakToken, a short password, and a user's name that is a
// word of hosts.
func leaks() secrets {
	var s secrets
	s.headers(http.Header{"Authorization": {"Bearer " + leakToken}, "X-Api-Key": {"k3y!"}, "X-Auth-User": {"example1"}})
	return s
}

func TestURLsOfRedirectsHoldNoCredential(t *testing.T) {
	t.Parallel()
	s := leaks()
	for text, want := range map[string]string{
		"http://h/leak/" + leakToken + "?q=1":               "http://h/leak/<secret>?q=1",
		"http://h/?a=" + strings.ToUpper(leakToken):         "http://h/?a=<secret>",
		"http://" + strings.ToLower(leakToken) + ".h/x":     "http://<secret>.h/x",
		"http://h/a/%423%34rer-t0k%5A?b=c":                  "http://h/a/<secret>?b=c",
		"http://h/?q=%6b3y%21":                              "http://h/?q=<secret>",
		"http://h/" + strings.Repeat("x", 2033) + leakToken: "http://h/" + strings.Repeat("x", 2033) + "<secre",
		"http://h/nothing?of=ours":                          "http://h/nothing?of=ours",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.url(u); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestHostsThatTellACredential(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		strings.ToLower(leakToken) + ".evil.test": true, leakToken: true, "k3y!.test": false, "www.example1.test": false,
		"elsewhere.test": false,
	} {
		if got := leaks().toldBy(host, "example1.test"); got != want {
			t.Errorf("%s tells a credential: %t, want %t", host, got, want)
		}
	}
	if !leaks().toldBy("www.example1.test", "h.test") {
		t.Error("a long user's name that is not in the probe's own host is no credential")
	}
}

// A target that sends our credentials back in a Location shows them nowhere, and no name server is told.
func TestRedirectsThatTellCredentials(t *testing.T) {
	t.Parallel()
	low := strings.ToLower(leakToken)
	for _, test := range []struct {
		location string
		reason   probe.Reason
		requests int
	}{
		{"/leak/" + leakToken + "?q=" + leakToken, "", 2},
		{"/%42" + leakToken[1:], "", 2},
		{"http://" + leakToken + ".test/", probe.ReasonRedirectInvalid, 1},
		{"//www." + low + "/", probe.ReasonRedirectInvalid, 1},
	} {
		t.Run(test.location, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, onceTo(302, test.location))
				h := w.http("http://" + here + "/")
				h.Headers = map[string]string{"Authorization": "Bearer " + leakToken}
				a := w.try(h)
				if a.Reason != test.reason || len(*seen) != test.requests {
					t.Errorf("ends with %q %v after %d requests, want %q after %d", a.Reason, a.Err, len(*seen), test.reason, test.requests)
				}
				if test.reason != "" && a.Err.Error() != errTold.Error() {
					t.Errorf("the error is %v, want %v", a.Err, errTold)
				}
				told := strings.ToLower(fmt.Sprint(a.Err, a.Addresses, *a.HTTP, a.RemoteAddress))
				if strings.Contains(told, low) || strings.Contains(told, low[1:]) {
					t.Errorf("a credential is in %s", told)
				}
			})
		})
	}
}

// What a name server or Go's client says quotes the host in small letters.
func TestErrorsHoldNoCredentialInSmallLetters(t *testing.T) {
	t.Parallel()
	err := errors.New("lookup " + strings.ToLower(leakToken) + ".test: no such host")
	if got, want := leaks().clean(err).Error(), "lookup <secret>.test: no such host"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
}
