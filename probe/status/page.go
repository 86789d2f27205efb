package status

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"sonde/probe/accept"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pageCSS) },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock": func(t time.Time) string { return t.UTC().Format(clockLayout) },
	}).Parse(pageHTML))

	// policy allows nothing but our own style: no script, no image, no form, no frame around the page.
	policy = "default-src 'none'; style-src 'sha256-" + hash(pageCSS) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// clockLayout is how a time is written for people.
const clockLayout = "2006-01-02 15:04:05 MST"

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// ServeHTTP answers with the page, or with plain text where that is what the request accepts. The page
// needs no script and nothing from elsewhere, and /?probe=NAME is the page of one probe alone; its links are
// relative to the address it is served at.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "want GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	var body bytes.Buffer
	v, status := b.answer(r)
	kind, render := "text/html; charset=utf-8", v.html
	if prefersText(r.Header.Values("Accept")) {
		kind, render = "text/plain; charset=utf-8", v.text
	}
	if err := render(&body); err != nil {
		http.Error(w, "rendering the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		w.Write(body.Bytes())
	}
}

// protect sets what keeps a browser from doing with the page what it is not for.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept")
}

// prefersText is true when plain text is accepted and HTML is not, or less.
func prefersText(lines []string) bool {
	text, html := 0.0, 0.0
	for kind, q := range accept.Elements(lines) {
		switch kind {
		case "text/plain":
			text = q
		case "text/html", "application/xhtml+xml":
			html = max(html, q)
		}
	}
	return text > html
}

func (v view) html(body *bytes.Buffer) error { return page.Execute(body, v) }
