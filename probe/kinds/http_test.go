package kinds

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

var httpTarget = target{
	aim: func(s probe.Settings, address string) { s.(*HTTP).URL = "http://" + address + "/" },
	serve: func(c *memnet.Conn, r *bufio.Reader) {
		for {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	},
}

// response is a response of HTTP/1.1 with a body of its announced length; each of header is a line.
func response(status int, body string, header ...string) string {
	lines := append([]string{fmt.Sprintf("HTTP/1.1 %d X", status), fmt.Sprintf("Content-Length: %d", len(body))}, header...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

// What the rows of the table below change.
type change = func(*HTTP)

func expectStatus(r ...StatusRange) change { return func(s *HTTP) { s.Expect.Status = r } }
func retryable(r ...StatusRange) change    { return func(s *HTTP) { s.RetryableStatus = r } }
func method(m string) change               { return func(s *HTTP) { s.Method = m } }
func bodyRules(r BodyRules) change         { return func(s *HTTP) { s.Expect.Body = r } }
func maxBody(n Size) change                { return func(s *HTTP) { s.Expect.MaxBody = n } }
func key(k string) change                  { return func(s *HTTP) { s.IdempotencyKey = k } }
func headerRule(name string, r HeaderRule) change {
	return func(s *HTTP) { s.Expect.Headers = map[string]HeaderRule{name: r} }
}

// verdict is what a row says of the attempt.
type verdict struct {
	Reason    probe.Reason
	Transient bool
	Asked     time.Duration
	Err       string
	BodyHead  string
}

func verdictOf(a probe.Attempt) verdict {
	v := verdict{Reason: a.Reason, Transient: a.Transient, Asked: a.Asked}
	if a.Err != nil {
		v.Err = a.Err.Error()
	}
	if a.HTTP != nil {
		v.BodyHead = a.HTTP.BodyHead
	}
	return v
}

func TestHTTPJudges(t *testing.T) {
	t.Parallel()
	status := func(transient bool, text string) verdict {
		return verdict{Reason: probe.ReasonStatus, Transient: transient, Err: text, BodyHead: "sorry"}
	}
	wrong := func(text, head string) verdict {
		return verdict{Reason: probe.ReasonAssertion, Err: text, BodyHead: head}
	}
	page := "<h1>Shop</h1> Add to cart"
	for _, test := range []struct {
		name   string
		says   string
		change []change
		want   verdict
	}{
		{"200", response(200, page), nil, verdict{}},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", nil, verdict{}},
		{"503", response(503, "sorry"), nil, status(true, "status 503, want 2xx")},
		{"501", response(501, "sorry"), nil, status(false, "status 501, want 2xx")},
		{"404", response(404, "sorry"), nil, status(false, "status 404, want 2xx")},
		{"a status that no set has", response(999, "sorry"), nil, status(false, "status 999, want 2xx")},
		{"another retryable set", response(404, "sorry"), []change{retryable(StatusRange{400, 499})}, status(true, "status 404, want 2xx")},
		{"an empty retryable set", response(503, "sorry"), []change{retryable()}, status(false, "status 503, want 2xx")},
		{"another expected set", response(200, "sorry"), []change{expectStatus(StatusRange{201, 201}, StatusRange{300, 399})},
			status(false, "status 200, want 201, 3xx")},
		{"expected beats retryable", response(503, "x"), []change{expectStatus(StatusRange{503, 503})}, verdict{}},
		{"none is expected", response(200, "sorry"), []change{expectStatus()}, status(false, "status 200, want none")},
		{"409 without a key", response(409, "sorry"), []change{method("POST")}, status(false, "status 409, want 2xx")},
		{"409 with a key", response(409, "sorry"), []change{method("POST"), key("auto")}, status(true, "status 409, want 2xx")},
		{"409 with a key beside a set", response(409, "sorry"), []change{key("k"), retryable()}, status(true, "status 409, want 2xx")},
		{"asks to wait", response(429, "", "Retry-After: 7"), nil,
			verdict{Reason: probe.ReasonStatus, Transient: true, Asked: 7 * time.Second, Err: "status 429, want 2xx"}},
		{"a wrong status beats a cut body", "HTTP/1.1 404 X\r\nContent-Length: 9\r\n\r\nsorry", nil, status(false, "status 404, want 2xx")},
		{"a wrong status beats a body that stops", "HTTP/1.1 404 X\r\nContent-Length: 9\r\n\r\nsorry" + waits, nil, status(false, "status 404, want 2xx")},
		{"a cut body", "HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhello", nil,
			verdict{Reason: probe.ReasonBodyTruncated, Transient: true, Err: "the body was cut after 5 of 9 bytes", BodyHead: "hello"}},
		{"a cut body beats its rules", "HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhello", []change{bodyRules(BodyRules{Contains: Texts{"bye"}})},
			verdict{Reason: probe.ReasonBodyTruncated, Transient: true, Err: "the body was cut after 5 of 9 bytes", BodyHead: "hello"}},
		{"101 that nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", nil,
			verdict{Reason: probe.ReasonStatus, Err: "status 101, want 2xx"}},
		{"101 that is expected", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", []change{expectStatus(StatusRange{101, 101})}, verdict{}},
		{"a redirect without Location", response(302, "sorry"), nil, status(false, "status 302, want 2xx")},
		{"an empty Location", response(302, "sorry", "Location:"), nil, status(false, "status 302, want 2xx")},
		{"a redirect that is not followed", response(302, "sorry", "Location: /x"), []change{func(s *HTTP) { s.Redirects = 0 }}, status(false, "status 302, want 2xx")},

		{"a header", response(200, "x", "Server: Shop/2"), []change{headerRule("server", HeaderRule{Equals: "Shop/2"})}, verdict{}},
		{"a part of a header", response(200, "x", "Server: Shop/2"), []change{headerRule("Server", HeaderRule{Contains: "op", Matches: "^S.*2$"})}, verdict{}},
		{"one value of several", response(200, "x", "V: a", "V: b"), []change{headerRule("V", HeaderRule{Equals: "b"})}, verdict{}},
		{"rules hold for one value", response(200, "x", "V: ab", "V: c"), []change{headerRule("V", HeaderRule{Contains: "a", Matches: "c"})},
			wrong(`header V is "ab", want a text with "a" and a match of "c"`, "x")},
		{"a wrong header", response(200, "x", "Content-Type: text/html"), []change{headerRule("Content-Type", HeaderRule{Equals: "application/json"})},
			wrong(`header Content-Type is "text/html", want "application/json"`, "x")},
		{"a header that is absent", response(200, "x"), []change{headerRule("X-A", HeaderRule{Matches: "a"})}, wrong(`header X-A is absent, want a match of "a"`, "x")},
		{"a header that is there", response(200, "x", "X-A: 1"), []change{headerRule("X-A", HeaderRule{Absent: true})}, wrong(`header X-A is "1", want none`, "x")},
		{"a header that is not there", response(200, "x"), []change{headerRule("X-A", HeaderRule{Absent: true})}, verdict{}},

		{"a good body", response(200, page), []change{bodyRules(BodyRules{
			Contains: Texts{"Add to cart", "Shop"}, NotContains: Texts{"Error"}, Matches: Regexps{`^<h\d>`}, NotMatches: Regexps{`(?i)exception`}})}, verdict{}},
		{"a text is missing", response(200, page), []change{bodyRules(BodyRules{Contains: Texts{"Shop", "Sale"}})}, wrong(`body does not contain "Sale"`, page)},
		{"a text is there", response(200, page), []change{bodyRules(BodyRules{NotContains: Texts{"Sale", "Shop"}})}, wrong(`body contains "Shop"`, page)},
		{"a match is missing", response(200, page), []change{bodyRules(BodyRules{Matches: Regexps{"Shop", `\d{2}`}})}, wrong(`body does not match "\\d{2}"`, page)},
		{"a match is there", response(200, page), []change{bodyRules(BodyRules{NotMatches: Regexps{`\d{2}`, `\d`}})}, wrong(`body matches "\\d"`, page)},
		{"an empty body", response(200, ""), []change{bodyRules(BodyRules{Contains: Texts{"x"}})}, wrong(`body does not contain "x"`, "")},
		{"a body of the greatest length", response(200, "12345678"), []change{maxBody(8), bodyRules(BodyRules{Contains: Texts{"8"}})}, verdict{}},
		{"a longer body", response(200, "123456789"), []change{maxBody(8), bodyRules(BodyRules{Contains: Texts{"8"}})},
			wrong("body is longer than 8B, the most that is matched", "123456789")},
		{"a longer body without rules", response(200, "123456789"), []change{maxBody(8)}, verdict{}},
		{"a head of what is no text", response(404, "\xff\x00ü"), nil, verdict{Reason: probe.ReasonStatus, Err: "status 404, want 2xx", BodyHead: "\uFFFD\x00ü"}},
		{"a head of 1 KiB", response(404, strings.Repeat("ü", 2000)), nil,
			verdict{Reason: probe.ReasonStatus, Err: "status 404, want 2xx", BodyHead: strings.Repeat("ü", 512)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				w.say(here, test.says)
				a := w.try(w.http("http://"+here+"/", test.change...))
				if diff := cmp.Diff(test.want, verdictOf(a)); diff != "" {
					t.Errorf("attempt (-want +got):\n%s", diff)
				}
				if a.OK != (test.want.Reason == "") || a.Evidence != probe.Answered {
					t.Errorf("ok is %v, evidence %v", a.OK, a.Evidence)
				}
				if a.Limit != "" && a.Reason == probe.ReasonStatus {
					t.Errorf("limit is %s beside reason status", a.Limit)
				}
			})
		})
	}
}

// TestHTTPTellsWhatTheResponseWas looks at the facts of a response that passed.
func TestHTTPTellsWhatTheResponseWas(t *testing.T) {
	t.Parallel()
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name string
		says string
		want probe.HTTP
	}{
		{"with a length", response(200, "hello", "Last-Modified: "+modified.Format(http.TimeFormat)),
			probe.HTTP{Status: 200, Version: "HTTP/1.1", ContentLength: 5, BodyBytes: 5, LastModified: modified}},
		{"chunked", "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
			probe.HTTP{Status: 200, Version: "HTTP/1.1", ContentLength: -1, BodyBytes: 3}},
		{"to the end of the connection", "HTTP/1.0 200 X\r\n\r\nabc",
			probe.HTTP{Status: 200, Version: "HTTP/1.0", ContentLength: -1, BodyBytes: 3, LengthUnverified: true}},
		{"long", response(200, strings.Repeat("x", 100_000)), probe.HTTP{Status: 200, Version: "HTTP/1.1", ContentLength: 100_000, BodyBytes: 100_000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				w.say(here, test.says)
				a := w.try(w.http("http://u:p@" + here + "/a?token=x"))
				test.want.URL = "http://" + here + "/a?token=<secret>"
				if diff := cmp.Diff(&test.want, a.HTTP); diff != "" || !a.OK || a.Method != "GET" || !a.Repeatable {
					t.Errorf("attempt %+v, response (-want +got):\n%s", a, diff)
				}
			})
		})
	}
}

// sent is what a server sees of a request.
type sent struct {
	Method, Target, Host string
	Header               http.Header
	Body                 string
}

func sentIn(r *http.Request) sent {
	return sent{r.Method, r.RequestURI, r.Host, r.Header, r.PostForm.Get("body")}
}

func TestHTTPSendsWhatTheFileSays(t *testing.T) {
	t.Parallel()
	agent := http.Header{"User-Agent": {"sonde/1.2.3"}}
	with := func(pairs ...string) http.Header {
		h := agent.Clone()
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, test := range []struct {
		name       string
		path       string
		change     []change
		want       sent
		repeatable bool
	}{
		{"no more than it must", "/a%20b?c=d", nil, sent{"GET", "/a%20b?c=d", here, agent, ""}, true},
		{"headers", "/", []change{func(s *HTTP) {
			s.Headers = map[string]string{"host": "shop.example", "user-agent": "me", "X-A": "1", "Accept-Encoding": "gzip"}
		}},
			sent{"GET", "/", "shop.example", http.Header{"User-Agent": {"me"}, "X-A": {"1"}, "Accept-Encoding": {"gzip"}}, ""}, true},
		{"a body", "/", []change{method("PATCH"), func(s *HTTP) { s.Body = "<a/>" }},
			sent{"PATCH", "/", here, with("Content-Length", "4"), "<a/>"}, false},
		{"an empty body", "/", []change{method("POST")}, sent{"POST", "/", here, with("Content-Length", "0"), ""}, false},
		{"JSON", "/", []change{method("PUT"), func(s *HTTP) { s.JSON = map[string]any{"b": []any{int64(1), "<x>"}, "a": nil} }},
			sent{"PUT", "/", here, with("Content-Length", "24", "Content-Type", "application/json"), `{"a":null,"b":[1,"<x>"]}`}, true},
		{"JSON of another type", "/", []change{method("POST"), func(s *HTTP) {
			s.JSON, s.Headers = "x", map[string]string{"content-type": "application/problem+json"}
		}},
			sent{"POST", "/", here, with("Content-Length", "3", "Content-Type", "application/problem+json"), `"x"`}, false},
		{"a form", "/", []change{method("POST"), func(s *HTTP) { s.Form = map[string]Texts{"b": {"x y", "z"}, "a": {"1&2"}} }},
			sent{"POST", "/", here, with("Content-Length", "20", "Content-Type", "application/x-www-form-urlencoded"), "a=1%262&b=x+y&b=z"}, false},
		{"an empty form", "/", []change{method("POST"), func(s *HTTP) { s.Form = map[string]Texts{} }},
			sent{"POST", "/", here, with("Content-Length", "0", "Content-Type", "application/x-www-form-urlencoded"), ""}, false},
		{"a literal key", "/", []change{method("POST"), key("k-1")},
			sent{"POST", "/", here, with("Content-Length", "0", "Idempotency-Key", "k-1"), ""}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.handle(here, func(http.ResponseWriter, *http.Request) {})
				p := prober(t, w.http("http://"+here+test.path, test.change...), standard)
				for n := range 2 { // the second attempt sends the same
					a := p.Probe(context.Background(), probe.Try{Number: n + 1, Key: probe.NewKey()})
					if !a.OK || a.Repeatable != test.repeatable || a.Method != test.want.Method {
						t.Errorf("attempt is %+v", a)
					}
				}
				if test.name == "a form" {
					test.want.Header.Set("Content-Length", fmt.Sprint(len(test.want.Body)))
				}
				for _, r := range *seen {
					if diff := cmp.Diff(test.want, sentIn(r)); diff != "" {
						t.Errorf("request (-want +got):\n%s", diff)
					}
				}
				if len(*seen) != 2 {
					t.Errorf("%d requests were sent, want 2", len(*seen))
				}
			})
		})
	}
}

func TestHTTPSendsUserinfoAsBasic(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		seen := w.handle(here, func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(401)
			fmt.Fprintf(rw, "no: %s, nor hunter2", r.Header.Get("Authorization"))
		})
		s := w.http("http://user:hunter2@" + here + "/")
		a := w.try(s)
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:hunter2"))
		if got := (*seen)[0].Header.Get("Authorization"); got != want {
			t.Errorf("Authorization is %q, want %q", got, want)
		}
		if want := "no: <secret>, nor <secret>"; a.HTTP.BodyHead != want {
			t.Errorf("the head of the body is %q, want %q", a.HTTP.BodyHead, want)
		}
		if want := "http://" + here + "/"; s.Target() != want || a.HTTP.URL != want {
			t.Errorf("target is %q, URL %q, want %q", s.Target(), a.HTTP.URL, want)
		}
	})
}

func TestHTTPDrawsOneKeyARun(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		seen := w.handle(here, func(http.ResponseWriter, *http.Request) {})
		p := prober(t, w.http("http://"+here+"/", method("POST"), key("auto")), standard)
		var want []string
		for range 2 {
			k := probe.NewKey()
			for n := range 2 {
				if a := p.Probe(context.Background(), probe.Try{Number: n + 1, Key: k}); !a.Repeatable {
					t.Error("a keyed attempt is not repeatable")
				}
				want = append(want, k.String())
			}
		}
		var got []string
		for _, r := range *seen {
			got = append(got, r.Header.Get("Idempotency-Key"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
}

func TestHTTPWithoutReuseCloses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		seen := w.handle(here, func(http.ResponseWriter, *http.Request) {})
		env := standard
		env.Connection.Reuse = false
		p := prober(t, w.http("http://"+here+"/"), env)
		for range 2 {
			if a := p.Probe(context.Background(), probe.Try{Number: 1}); !a.OK || a.Reused {
				t.Errorf("attempt is %+v, want one on a fresh connection", a)
			}
		}
		for _, r := range *seen {
			if !r.Close {
				t.Error("the request does not say Connection: close")
			}
		}
	})
}

// TestHTTPFailsForAHeaderWithoutItsSecret lets a target echo a token where an error quotes it.
func TestHTTPFailsForAHeaderWithoutItsSecret(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.handle(here, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("X-Echo", r.Header.Get("Authorization")+"\\")
		})
		a := w.try(w.http("http://"+here+"/", headerRule("X-Echo", HeaderRule{Equals: "x"}),
			func(s *HTTP) { s.Headers = map[string]string{"Authorization": "Bearer t0ps3cret"} }))
		if want := `header X-Echo is "<secret>\\", want "x"`; a.Err == nil || a.Err.Error() != want {
			t.Errorf("error is %v, want %s", a.Err, want)
		}
	})
}

// TestHTTPErrorsOfGoAreMasked lets a target echo the request where a status line belongs.
func TestHTTPErrorsOfGoAreMasked(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.serve(here, func(c *memnet.Conn, r *bufio.Reader) {
			line, _ := r.ReadString('\n')
			io.WriteString(c, line+strings.Repeat("x", 10_000)+"\r\n\r\n")
			w.pause(time.Minute)
		})
		a := w.try(w.http("http://" + here + "/?token=t0ps3cret"))
		if a.Reason != probe.ReasonProtocolError || strings.Contains(a.Err.Error(), "t0ps3cret") || !strings.Contains(a.Err.Error(), probe.SecretText) {
			t.Errorf("attempt is %+v, want protocol_error with a masked error", a)
		}
	})
}

func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	leaf := errors.New(strings.Repeat("x", 100_000))
	err := secrets{}.clean(leaf)
	if len(err.Error()) > maxError+len("…") || !errors.Is(err, leaf) {
		t.Errorf("the error has %d bytes and leads to its leaf: %v", len(err.Error()), errors.Is(err, leaf))
	}
}

func TestHTTPEndlessBodyEndsByTotal(t *testing.T) {
	t.Parallel()
	for _, rules := range []BodyRules{{}, {Contains: Texts{"x"}}} {
		inBubble(t, func(w *world) {
			w.serve(here, func(c *memnet.Conn, r *bufio.Reader) {
				http.ReadRequest(r)
				io.WriteString(c, "HTTP/1.1 200 X\r\n\r\n")
				for {
					if _, err := io.WriteString(c, "drip"); err != nil {
						return
					}
					w.pause(time.Second)
				}
			})
			a := w.try(w.http("http://"+here+"/", bodyRules(rules)))
			if a.Reason != probe.ReasonLimitTotal || a.Limit != probe.LimitTotal || a.Phase != probe.PhaseTransfer || !strings.HasPrefix(a.HTTP.BodyHead, "dripdrip") {
				t.Errorf("attempt is %+v, want limit_total in transfer", a)
			}
		})
	}
}
