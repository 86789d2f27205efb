package schema

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"sonde/probe"
)

// This file fills values into URLs. What is filled in is data: it is escaped as the place wants it where it
// stands, and never becomes the URL's syntax, so that no value changes which host is asked. The places are
// those of the literal text. Only what stands for a whole part is taken for that part: what begins the text
// brings the scheme, and all that it holds; a whole userinfo has a user and a password; a whole query has
// parameters.

// urlPlace is a part of a URL.
type urlPlace int

const (
	inBeginning urlPlace = iota
	inScheme
	inUserinfo
	inHost
	inPath
	inQuery
	inFragment
)

// literalURL is the text of a URL without the values that are filled into it, and where its parts end.
type literalURL struct {
	bits []bit
	text string
	from []int // of each bit, where it stands in the text
	// authority is where the authority begins, -1 without one, and end where it ends. at is the @ in it, query
	// the ?, fragment the #; -1 without.
	authority, end, at, query, fragment int
}

// asURL makes of a URL's text what its bits mean, each in its place.
func (w *walker) asURL(at place, x *written) bool {
	if len(x.bits) == 0 {
		return true
	}
	u := literalOf(beginning(x.bits))
	text := ""
	for i, b := range u.bits {
		more, wrong := w.inPlace(&u, i)
		if wrong != "" && !x.absent {
			return w.problem(at, RuleFill, "holds "+b.ref+" "+wrong)
		}
		text += more
	}
	x.text = text
	return true
}

// beginning is the bits in which a target's field that begins the text is taken apart: what was filled into that
// has its place there.
func beginning(bits []bit) []bit {
	for i, b := range bits {
		switch {
		case b.text == "":
			continue
		case b.ref != "" && len(b.bits) > 0:
			return append(beginning(b.bits), bits[i+1:]...)
		}
		return bits[i:]
	}
	return nil
}

// literalOf finds the places of a URL. A value that begins it counts as literal.
func literalOf(bits []bit) literalURL {
	u := literalURL{bits: bits, from: make([]int, len(bits)), authority: -1, at: -1}
	for i, b := range bits {
		u.from[i] = len(u.text)
		if b.ref == "" || i == 0 {
			u.text += b.text
		}
	}
	if before := scheme.FindString(u.text); before != "" {
		u.authority = len(before)
		u.end = u.authority + until(u.text[u.authority:], "/?#")
		if at := strings.LastIndexByte(u.text[u.authority:u.end], '@'); at >= 0 {
			u.at = u.authority + at
		}
	}
	u.fragment = strings.IndexByte(u.text, '#')
	u.query = strings.IndexByte(u.text[:u.end+until(u.text[u.end:], "#")], '?')
	return u
}

// until is where one of the characters stands in a text, or its end.
func until(text, chars string) int {
	if at := strings.IndexAny(text, chars); at >= 0 {
		return at
	}
	return len(text)
}

// place is where a bit stands that is no literal.
func (u *literalURL) place(i int) urlPlace {
	switch from := u.from[i]; {
	case i == 0:
		return inBeginning
	case u.fragment >= 0 && from > u.fragment:
		return inFragment
	case u.query >= 0 && from > u.query:
		return inQuery
	case u.authority < 0 || from > u.end:
		return inPath
	case from < u.authority:
		return inScheme
	case from <= u.at:
		return inUserinfo
	}
	return inHost
}

// isWhole is true of a bit that is all of its place, which reaches from one place of the text to another.
func (u *literalURL) isWhole(i, from, to int) bool {
	for j := range u.bits {
		if j != i && u.bits[j].ref != "" && u.place(j) == u.place(i) && u.bits[j].text != "" {
			return false
		}
	}
	return from == to
}

// isAlone is true of a bit beside which no other value stands.
func (u *literalURL) isAlone(i int) bool {
	for j := range u.bits {
		if j != i && u.bits[j].ref != "" && u.from[j] == u.from[i] && u.bits[j].text != "" {
			return false
		}
	}
	return true
}

// inPlace is a bit as it stands in the URL, or what is wrong with it, for `holds ${…} …`.
func (w *walker) inPlace(u *literalURL, i int) (text, wrong string) {
	b := u.bits[i]
	if b.ref == "" {
		return b.text, ""
	}
	switch u.place(i) {
	case inBeginning:
		return b.text, w.begins(u, b)
	case inScheme:
		return b.text, notScheme(b.text)
	case inHost:
		return u.host(i)
	case inUserinfo:
		if u.isWhole(i, u.authority, u.at) {
			return w.divided(b), ""
		}
		return probe.Escape(b.text, probe.KeptInUserinfo), ""
	case inQuery:
		end := len(u.text)
		if u.fragment >= 0 {
			end = u.fragment
		}
		if u.isWhole(i, u.query+1, end) {
			return w.parameters(b), ""
		}
		return probe.Escape(b.text, probe.KeptInQuery), ""
	}
	return probe.Escape(b.text, probe.KeptInPath), "" // a fragment is not sent
}

// divided is a user and a password in one value, which its first colon divides: of a target's field, the first
// that stands there as it is.
func (w *walker) divided(b bit) string {
	text, divided := "", false
	for _, one := range b.all() {
		user, password, found := strings.Cut(one.text, ":")
		if divided || !found || one.ref != "" && len(b.bits) > 1 {
			text += probe.Escape(one.text, probe.KeptInUserinfo)
			continue
		}
		divided = true
		text += probe.Escape(user, probe.KeptInUserinfo) + ":" + probe.Escape(password, probe.KeptInUserinfo)
		if one.secret {
			w.fill.secrets.Add(password)
		}
	}
	return text
}

// parameters is a whole query in one value.
func (w *walker) parameters(b bit) (text string) {
	for _, one := range b.all() {
		if one.ref != "" && len(b.bits) > 1 {
			text += probe.Escape(one.text, probe.KeptInQuery)
			continue
		}
		escaped := probe.Escape(one.text, probe.KeptAsQuery)
		text += escaped
		if one.secret {
			w.fill.secrets.Add(asShown("?" + escaped)[1:])
		}
	}
	return text
}

// all is what a bit is made of.
func (b bit) all() []bit {
	if len(b.bits) > 0 {
		return b.bits
	}
	return []bit{b}
}

// asShown is a URL's text where what looks like a secret by its name has been left out.
func asShown(text string) string { return probe.HidePairs(text, probe.HiddenPair) }

// begins judges a value that begins a URL: literal text after it may say that it is a scheme, or that it ends in a
// user. Secret is also what a redacted URL has of it.
func (w *walker) begins(u *literalURL, b bit) (wrong string) {
	after := u.text[len(b.text):]
	if strings.HasPrefix(after, "://") {
		return notScheme(b.text)
	}
	before := scheme.FindString(b.text)
	if at := until(after, "/?#@"); before != "" && at < len(after) && after[at] == '@' && breaks(b.text[len(before):]) != "" {
		return "before the @ after which the URL has its host, and its value has " + breaks(b.text[len(before):]) +
			"; want user and password in values of their own, as in https://${USER}:${PASSWORD}@host/"
	}
	if b.secret && before != "" {
		rest := b.text[len(before):]
		rest = rest[:until(rest, "#")]
		end := until(rest, "/?")
		shown := before + rest[strings.LastIndexByte(rest[:end], '@')+1:]
		path, _, _ := strings.Cut(shown, "?")
		for _, form := range []string{shown, asShown(shown), path} {
			w.fill.secrets.Add(form)
		}
	}
	return ""
}

var schemeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

func notScheme(text string) string {
	if schemeName.MatchString(text) {
		return ""
	}
	return "where the URL has its scheme; want http or https"
}

// host is a value in the place of host and port. An address of IPv6 that is the host gets its brackets, and a zone its
// escape.
func (u *literalURL) host(i int) (text, wrong string) {
	b := u.bits[i]
	if found := breaks(b.text); found != "" {
		return "", "where the URL has its host, and its value has " + found + "; want a host, or host:port" + hostHint(b)
	}
	if ip, err := netip.ParseAddr(b.text); err == nil && ip.Is6() {
		text := strings.Replace(b.text, "%", "%25", 1)
		if rest := u.text[u.from[i]:u.end]; u.from[i] == max(u.authority, u.at+1) && u.isAlone(i) && (rest == "" || rest[0] == ':') {
			text = "[" + text + "]"
		}
		return text, ""
	}
	return b.text, ""
}

// hostHint is what to do with a value that is more than a host.
func hostHint(b bit) string {
	switch {
	case scheme.MatchString(b.text):
		return "; a whole URL begins the text, as in " + b.ref + " without a scheme before it"
	case strings.HasPrefix(b.text, "/"):
		return "; a path follows a / of the file's own, as in https://www.example.com/" + b.ref
	case strings.Contains(b.text, "/"):
		return "; a path stands in a value of its own, after a /"
	}
	return ""
}

// breaks is what in a value would end a URL's host, or empty.
func breaks(text string) string {
	for _, r := range text {
		switch {
		case r == '@':
			return "an @ in it"
		case strings.ContainsRune(`/?#\`, r):
			return "a " + string(r) + " in it"
		case unicode.IsSpace(r):
			return "white space in it"
		case unicode.IsControl(r):
			return "a control character in it"
		}
	}
	return ""
}
