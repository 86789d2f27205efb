package kinds

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sonde/probe"
)

// oddURLs are paths and queries that no request may have as they are, and what is sent.
var oddURLs = map[string]string{
	"/?q=a b":                    "/?q=a%20b",
	"/?q=é\"<>^`{|}\\#f":         "/?q=%C3%A9%22%3C%3E%5E%60%7B%7C%7D%5C",
	"/?q=a%20b%c3%A9+c&d=(1,2)'": "/?q=a%20b%c3%A9+c&d=(1,2)'",
	"/?q=100%&r=%zz%4":           "/?q=100%25&r=%25zz%254",
	"/?a[]=1&;:@/?!$*~":          "/?a%5B%5D=1&;:@/?!$*~",
	"/a b%2Fc/é{}?x=%2F":         "/a%20b%2Fc/%C3%A9%7B%7D?x=%2F",
	"/a;b=c,d/%7Ex":              "/a;b=c,d/%7Ex",
	"/?":                         "/?",
}

// TestQueriesAreSentEscaped: what RFC 3986 does not permit is escaped on the wire, and the record says the same.
func TestQueriesAreSentEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range oddURLs {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, fine)
				s := w.http("http://" + here + text)
				a := w.try(s)
				if !a.OK || len(*seen) != 1 || (*seen)[0].RequestURI != want {
					t.Fatalf("of %s the request is %+v (%v), want %s", text, *seen, a.Err, want)
				}
				if shown := "http://" + here + strings.TrimSuffix(want, "?"); a.HTTP.URL != shown || s.Target() != shown {
					t.Errorf("recorded is %s at %s, want %s", a.HTTP.URL, s.Target(), shown)
				}
			})
		})
	}
}

// TestLocationsAreSentEscaped: those of redirects, too.
func TestLocationsAreSentEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range oddURLs {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, func(rw http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/start" {
						to(302, text)(rw, r)
					}
				})
				a := w.try(w.http("http://" + here + "/start"))
				if !a.OK || len(*seen) != 2 || (*seen)[1].RequestURI != want {
					t.Fatalf("after %s the requests are %+v (%v), want %s", text, *seen, a.Err, want)
				}
				if shown := "http://" + here + strings.TrimSuffix(want, "?"); a.HTTP.URL != shown {
					t.Errorf("recorded is %s, want %s", a.HTTP.URL, shown)
				}
			})
		})
	}
}

// TestCredentialsOfABodyAreMasked: a form and JSON that stand in body: are as secret as form: and json: are.
func TestCredentialsOfABodyAreMasked(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"user=anna&password=hunter2hunter2", "password=hunter2%68unter2&user=anna", `{"user": "anna", "password": "hunter2h\u0075nter2"}`,
		`[{"auth": {"a": ["hunter2hunter2"]}}]`, `{"n": {"token": 20020020020}}`,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				w.handle(here, func(rw http.ResponseWriter, r *http.Request) {
					rw.WriteHeader(500)
					fmt.Fprint(rw, "you sent "+r.PostForm.Get("body")+", which is hunter2hunter2 or 20020020020")
				})
				s := w.http("http://"+here+"/", method("POST"))
				s.Body = body
				a := w.try(s)
				curl, err := s.Curl(probe.Env{})
				if err != nil {
					t.Fatal(err)
				}
				for _, shown := range []string{a.HTTP.BodyHead, a.Err.Error(), curl} {
					sent, _, _ := strings.Cut(shown, "which is")
					if strings.Contains(sent, "hunter2") || strings.Contains(sent, "nter2") || strings.Contains(sent, "20020020020") {
						t.Errorf("shown is %s", shown)
					}
				}
				if !strings.Contains(a.HTTP.BodyHead, probe.SecretText) {
					t.Errorf("nothing is masked in %s", a.HTTP.BodyHead)
				}
			})
		})
	}
}

// TestUserinfoArrivesAsItIs: what is escaped in a URL's userinfo is sent as the bytes that it stands for.
func TestUserinfoArrivesAsItIs(t *testing.T) {
	t.Parallel()
	const secret = "p@ss/w:rd?x#y%41 \"é\xff\n"
	inBubble(t, func(w *world) {
		seen := w.handle(here, fine)
		w.try(w.http("http://anna:" + probe.Escape(secret, probe.KeptInUserinfo) + "@" + here + "/"))
		user, password, _ := (*seen)[0].BasicAuth()
		if user != "anna" || password != secret {
			t.Errorf("user and password are %q and %q", user, password)
		}
	})
}

// FuzzEscaped: what was escaped is fit for the first line of a request, means what it meant, and stays as it is.
func FuzzEscaped(f *testing.F) {
	for text := range oddURLs {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := escaped(text, probe.KeptAsQuery)
		if strings.ContainsFunc(once, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"#<>[\\]^`{|}", r) }) {
			t.Errorf("%q is escaped as %q", text, once)
		}
		if again := escaped(once, probe.KeptAsQuery); again != once {
			t.Errorf("%q is escaped as %q, and that as %q", text, once, again)
		}
		if plain := probe.Escape(text, ""); !strings.Contains(text, "%") && unescape(strings.ReplaceAll(once, "+", "%2B")) != unescape(plain) {
			t.Errorf("%q is escaped as %q, which is another text", text, once)
		}
	})
}
