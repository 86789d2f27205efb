package status

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
)

func ask(b *Board, method, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ask(all(), http.MethodGet, browser)
		body := w.Body.String()
		wellFormed(t, body)
		for _, want := range []string{
			"<h1>1 down, 1 unknown, 1 flaky, 1 not yet run, 2 up</h1>",
			`<td class="word down"><span aria-hidden="true">■</span> down</td>`,
			`<td class="word flaky"><span aria-hidden="true">◆</span> flaky</td>`,
			`<td class="word pending"><span aria-hidden="true">○</span> not yet run</td>`,
			`role="img" aria-label="last 1: 1 down; newest: down"`,
			`<time datetime="2000-01-01T00:00:05Z">2000-01-01 00:00:05 UTC</time>`,
			"status: 503, want 2xx", "2 of 2", "https://down/", `<a href="metrics">`, "sonde 1.2.3",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("there is no %s", want)
			}
		}
	})
}

// wellFormed reads the page as a strict parser does: what is not escaped would break it.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			if name := e.Name.Local; name == "script" || name == "img" || name == "link" || name == "iframe" {
				t.Errorf("the page has a <%s>", name)
			}
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not closed", depth)
	}
}

// TestPolicyFitsThePage holds that the browser will take the style: the policy names the hash of what
// the page really contains.
func TestPolicyFitsThePage(t *testing.T) {
	w := ask(New(""), http.MethodGet, browser)
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(w.Body.String())
	if style == nil {
		t.Fatal("the page has no style")
	}
	got := w.Header().Get("Content-Security-Policy")
	if want := "style-src 'sha256-" + hash(style[1]) + "'"; !strings.Contains(got, want) || !strings.HasPrefix(got, "default-src 'none'") {
		t.Errorf("the policy is %q, want default-src 'none' and %s", got, want)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Vary": "Accept", "Content-Type": "text/html; charset=utf-8",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if strings.Contains(w.Body.String(), "style=") || strings.Contains(w.Body.String(), "ZgotmplZ") {
		t.Error("the page has an inline style, which its policy forbids, or a value that the template refused")
	}
}

func TestPlainText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ask(all(), http.MethodGet, "text/plain")
		lines := strings.Split(w.Body.String(), "\n")
		want := []string{
			"1 down, 1 unknown, 1 flaky, 1 not yet run, 2 up", "",
			"VERDICT        PROBE    KIND  TARGET            ATTEMPTS  DURATION  LAST RUN                 LAST RUNS  LAST FAILURE",
			"■ down         down     http  https://down/     1 of 2    1s        2000-01-01 00:00:05 UTC  ■          status: 503, want 2xx (2000-01-01 00:00:05 UTC)",
		}
		for i, l := range want {
			if lines[i] != l {
				t.Errorf("line %d is\n%s\nwant\n%s", i+1, lines[i], l)
			}
		}
		if got := w.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("Content-Type is %q, want plain text", got)
		}
	})
}

func TestWhatIsAccepted(t *testing.T) {
	for accept, text := range map[string]bool{
		"": false, "*/*": false, browser: false, "text/plain": true, "TEXT/plain; q=0.5": true,
		"text/html, text/plain": false, "text/plain, text/html;q=0.5": true, "text/plain;q=0": false, "text/plain;q=x": false,
	} {
		got := strings.HasPrefix(ask(New(""), http.MethodGet, accept).Header().Get("Content-Type"), "text/plain")
		if got != text {
			t.Errorf("Accept %q gets plain text: %v, want %v", accept, got, text)
		}
	}
}

func TestMethods(t *testing.T) {
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405} {
		w := ask(New(""), method, browser)
		if w.Code != want || (want == 405) != (w.Header().Get("Allow") == "GET, HEAD") {
			t.Errorf("%s: status %d, Allow %q; want %d", method, w.Code, w.Header().Get("Allow"), want)
		}
		if method == "HEAD" && (w.Body.Len() > 0 || w.Header().Get("Content-Length") == "0") {
			t.Errorf("HEAD: %d bytes, Content-Length %s; want the page's length and no body", w.Body.Len(), w.Header().Get("Content-Length"))
		}
	}
}

// TestHostileText brings text that a target or a careless file can make into both forms.
func TestHostileText(t *testing.T) {
	evil := `</td><script>alert(1)</script>"'&{{.}}` + "\x1b[2J\u202e\n<style>*{display:none}</style>"
	b := New(evil)
	p := &probe.Probe{Name: evil, Kind: evil, Group: evil, Description: evil, Target: evil}
	b.Declare(p)
	b.RunDone(&probe.Result{Probe: p, Verdict: probe.Down, Reason: probe.ReasonAssertion, Err: &probe.RunError{Err: errors.New(evil)}})
	page := ask(b, http.MethodGet, browser).Body.String()
	wellFormed(t, page)
	if strings.Count(page, "<style>") != 1 {
		t.Error("hostile text made a style of its own")
	}
	text := ask(b, http.MethodGet, "text/plain").Body.String()
	if n := strings.Count(text, "\n"); n != 4 || strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("hostile text made %d lines or moves the cursor:\n%q", n, text)
	}
}

func TestNoProbe(t *testing.T) {
	for accept, want := range map[string]string{browser: "<h1>No probe is declared</h1>", "text/plain": "No probe is declared\n"} {
		if body := ask(New(""), http.MethodGet, accept).Body.String(); !strings.Contains(body, want) {
			t.Errorf("there is no %q in %s", want, body)
		}
	}
}

// TestThousandProbes holds what a page and what is kept may cost, whatever targets say.
func TestThousandProbes(t *testing.T) {
	b, huge := New(""), errors.New(strings.Repeat("x", 100_000))
	for i := range 1000 {
		p := &probe.Probe{Name: fmt.Sprintf("probe-%03d", i), Kind: "http", Target: "https://shop.example.com/"}
		b.Declare(p)
		for j := range 25 {
			b.RunDone(&probe.Result{
				Probe: p, Verdict: verdicts[(i+j)%4], Reason: probe.ReasonStatus, Duration: time.Second,
				Err: &probe.RunError{Err: huge},
			})
		}
	}
	for _, accept := range []string{browser, "text/plain"} {
		body := ask(b, http.MethodGet, accept).Body.Bytes()
		if !bytes.Contains(body, []byte("250 down, 250 unknown, 250 flaky, 250 up")) || bytes.Count(body, []byte("probe-")) != 1000 {
			t.Errorf("%s: the page does not show 1000 probes", accept)
		}
		if len(body) > 3<<20 {
			t.Errorf("%s: the page is %d bytes, want at most 3 MiB", accept, len(body))
		}
	}
}
