package kinds

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// to redirects every request.
func to(status int, location string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", location)
		rw.WriteHeader(status)
		fmt.Fprint(rw, "over there")
	}
}

func fine(http.ResponseWriter, *http.Request) {}

// onceTo redirects requests of "/" and is fine with others.
func onceTo(status int, location string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			to(status, location)(rw, r)
		}
	}
}

func TestRedirectMethods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method string
		status int
		want   string
	}{
		{"GET", 301, "GET"}, {"GET", 302, "GET"}, {"GET", 303, "GET"}, {"GET", 307, "GET"}, {"GET", 308, "GET"},
		{"HEAD", 301, "HEAD"}, {"HEAD", 303, "HEAD"}, {"HEAD", 308, "HEAD"},
		{"POST", 301, "GET"}, {"POST", 302, "GET"}, {"POST", 303, "GET"}, {"POST", 307, "POST"}, {"POST", 308, "POST"},
		{"PUT", 301, "PUT"}, {"PUT", 302, "PUT"}, {"PUT", 303, "GET"}, {"PUT", 307, "PUT"}, {"PUT", 308, "PUT"},
		{"PATCH", 303, "GET"}, {"PATCH", 308, "PATCH"},
	} {
		t.Run(fmt.Sprintf("%s %d", test.method, test.status), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, onceTo(test.status, "/next?a=b"))
				s := w.http("http://"+here+"/", method(test.method))
				if test.method != "GET" && test.method != "HEAD" {
					s.JSON = "body"
				}
				a := w.try(s)
				if !a.OK || len(*seen) != 2 || a.Method != test.method {
					t.Fatalf("attempt is %+v with %d requests, want one that passed with 2", a, len(*seen))
				}
				got, body := (*seen)[1], ""
				if test.want == test.method && s.JSON != nil {
					body = `"body"`
				}
				if got.Method != test.want || got.PostForm.Get("body") != body || got.RequestURI != "/next?a=b" {
					t.Errorf("the second request is %+v, want %s with body %s", sentIn(got), test.want, body)
				}
				if kept := got.Header.Get("Content-Type") != ""; kept != (body != "") {
					t.Errorf("Content-Type is kept: %v beside body %q", kept, body)
				}
			})
		})
	}
}

// TestRedirectChain follows two redirects between two hosts and looks at the record.
func TestRedirectChain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.mem.Hosts["a.example"], w.mem.Hosts["b.example"] = []net.IP{net.ParseIP("192.0.2.1")}, []net.IP{net.ParseIP("192.0.2.2")}
		w.handle(here, to(302, "//B.example/x?token=abc#y"))
		w.handle(there, to(307, "http://u:p@b.example:81/y?z"))
		seen := w.handle("192.0.2.2:81", fine)
		a := w.try(w.http("http://a.example/?key=k"))
		want := &probe.HTTP{Status: 200, Version: "HTTP/1.1", URL: "http://b.example:81/y?z", Hops: []probe.Hop{
			{URL: "http://a.example/?key=<secret>", Status: 302, RemoteAddress: here},
			{URL: "http://B.example/x?token=<secret>", Status: 307, RemoteAddress: there},
		}}
		if diff := cmp.Diff(want, a.HTTP); diff != "" || !a.OK || a.RemoteAddress != "192.0.2.2:81" {
			t.Errorf("attempt is %+v; response (-want +got):\n%s", a, diff)
		}
		if got := (*seen)[0].Header.Get("Authorization"); got != "" {
			t.Errorf("a user of the target's own was sent as %s", got)
		}
	})
}

// TestRecordNamesTheProxy of each request, by the host and port of the file and without its user, also when
// it is not reached.
func TestRecordNamesTheProxy(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.mem.Hosts["gate.example"] = []net.IP{net.ParseIP("192.0.2.3")}
		w.handle("192.0.2.3:3128", to(302, "http://"+there+"/next"))
		w.handle(there, fine)
		behind := throughProxy(HTTPProxy{URL: "http://user:hunter2@gate.example:3128", NoProxy: Texts{there}})
		a := w.try(w.http("http://"+here+"/", behind))
		const gate = "gate.example:3128"
		if want := []probe.Hop{{URL: "http://" + here + "/", Status: 302, RemoteAddress: "192.0.2.3:3128", Proxy: gate}}; a.HTTP == nil || !slices.Equal(a.HTTP.Hops, want) || a.Proxy != "" || a.RemoteAddress != there {
			t.Errorf("attempt is %+v with %+v, want the hop %+v and no proxy behind it", a, a.HTTP, want)
		}
		lost := w.try(w.http("http://"+here+"/", throughProxy(HTTPProxy{URL: "http://gate.example:1"})))
		if lost.OK || lost.Proxy != "gate.example:1" {
			t.Errorf("attempt is %+v, want the proxy that was not reached", lost)
		}
	})
}

func TestRedirectFailures(t *testing.T) {
	t.Parallel()
	const unreadable = "the Location of a redirect cannot be read as a URL"
	const neither = "a redirect leads to what is neither http nor https"
	for _, test := range []struct {
		location string
		reason   probe.Reason
		err      string
		hops     int
	}{
		{"/", probe.ReasonRedirectLoop, "one more redirect than the 10 that are followed", 10},
		{"ftp://h/", probe.ReasonRedirectInvalid, neither, 0},
		{"javascript:alert(1)", probe.ReasonRedirectInvalid, neither, 0},
		{"http://h:hunter2/", probe.ReasonRedirectInvalid, unreadable, 0},
		{"http://h:99999/", probe.ReasonRedirectInvalid, unreadable, 0},
		{"http:///x", probe.ReasonRedirectInvalid, unreadable, 0},
		{"http:x", probe.ReasonRedirectInvalid, unreadable, 0},
		{"%zz", probe.ReasonRedirectInvalid, unreadable, 0},
		{"http://%41/", probe.ReasonRedirectInvalid, unreadable, 0},
		{"http://" + strings.Repeat("ü", 300) + "/", probe.ReasonRedirectInvalid, unreadable, 0},
	} {
		t.Run(test.location, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, to(301, test.location))
				a := w.try(w.http("http://" + here + "/"))
				if a.Reason != test.reason || a.Transient || a.Err.Error() != test.err || a.Evidence != probe.Answered {
					t.Errorf("attempt is %+v, want %s: %s", a, test.reason, test.err)
				}
				if a.HTTP == nil || len(a.HTTP.Hops) != test.hops || a.HTTP.Status != 301 || a.HTTP.BodyHead != "over there" || len(*seen) != test.hops+1 {
					t.Errorf("response is %+v after %d requests, want %d hops", a.HTTP, len(*seen), test.hops)
				}
			})
		})
	}
}

// TestRedirectToNobody looks at the record of an attempt whose second host refuses: the reason is that
// host's, and so is the evidence, unless the request was turned into a GET.
func TestRedirectToNobody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method string
		status int
		want   probe.Evidence
	}{{"GET", 302, probe.NeverSent}, {"POST", 307, probe.NeverSent}, {"POST", 302, probe.Answered}} {
		inBubble(t, func(w *world) {
			w.handle(here, to(test.status, "http://"+there+"/"))
			a := w.try(w.http("http://"+here+"/", method(test.method)))
			if a.Reason != probe.ReasonConnectRefused || !a.Transient || a.Evidence != test.want {
				t.Errorf("%s %d: attempt is %+v, want connect_refused with evidence %v", test.method, test.status, a, test.want)
			}
			want := &probe.HTTP{Status: test.status, Version: "HTTP/1.1", URL: "http://" + here + "/", ContentLength: 10,
				Hops: []probe.Hop{{URL: "http://" + here + "/", Status: test.status, RemoteAddress: here}}}
			if diff := cmp.Diff(want, a.HTTP); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRedirectAbroadDropsCredentials looks at what the second and third request carry.
func TestRedirectAbroadDropsCredentials(t *testing.T) {
	t.Parallel()
	set := func(s *HTTP) {
		s.IdempotencyKey = "auto"
		s.Headers = map[string]string{"Authorization": "Bearer x1", "Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/html", "Host": "shop.example"}
	}
	carried := func(r *http.Request) (names []string) {
		for _, name := range []string{"Authorization", "Cookie", "Idempotency-Key", "X-Api-Key", "Accept", "User-Agent"} {
			if r.Header.Get(name) != "" {
				names = append(names, name)
			}
		}
		return append(names, r.Host)
	}
	all := []string{"Authorization", "Cookie", "Idempotency-Key", "X-Api-Key", "Accept", "User-Agent"}
	few := []string{"Accept", "User-Agent"}
	for _, test := range []struct {
		name, location string
		at             string
		want           []string
	}{
		{"the same host", "/next", here, append(all[:6:6], "shop.example")},
		{"the same host by name", "http://" + here + "/next", here, append(all[:6:6], here)},
		{"another port", "http://192.0.2.1:81/next", "192.0.2.1:81", append(few[:2:2], "192.0.2.1:81")},
		{"another host", "http://" + there + "/next", there, append(few[:2:2], there)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, onceTo(307, test.location))
				if test.at != here {
					seen = w.handle(test.at, fine)
				}
				if a := w.try(w.http("http://"+here+"/", set)); !a.OK {
					t.Fatalf("attempt is %+v, want one that passed", a)
				}
				if diff := cmp.Diff(test.want, carried((*seen)[len(*seen)-1])); diff != "" {
					t.Errorf("the last request carries (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestRedirectHomeDoesNotBringCredentialsBack goes abroad and back.
func TestRedirectHomeDoesNotBringCredentialsBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		seen := w.handle(here, onceTo(302, "http://"+there+"/"))
		w.handle(there, to(302, "http://"+here+"/next"))
		a := w.try(w.http("http://user:hunter2@" + here + "/"))
		if !a.OK || len(*seen) != 2 {
			t.Fatalf("attempt is %+v, want one that passed", a)
		}
		if got := (*seen)[1].Header.Get("Authorization"); got != "" {
			t.Errorf("Authorization is back: %s", got)
		}
	})
}

func TestLongLocationIsBoundedInTheRecord(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.handle(here, onceTo(302, "/next?q="+strings.Repeat("x", 500_000)))
		a := w.try(w.http("http://" + here + "/"))
		if !a.OK || len(a.HTTP.URL) != maxURL {
			t.Errorf("attempt is ok %v, its URL has %d bytes, want %d", a.OK, len(a.HTTP.URL), maxURL)
		}
	})
}
