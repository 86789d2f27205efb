package main

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"sonde/probe/kinds"
	"sonde/schema"
)

// filledURL is a template into which V is filled, and what it must become.
type filledURL struct {
	template string
	// read is the part of the URL in which the value must be, as a server has it.
	read func(u *url.URL) string
	// want is what must be there.
	want func(value string) string
}

func same(value string) string { return value }

func password(u *url.URL) string { p, _ := u.User.Password(); return p }

// userinfo is a user and a password, which a colon divides.
func userinfo(u *url.URL) string {
	if p, ok := u.User.Password(); ok {
		return u.User.Username() + ":" + p
	}
	return u.User.Username()
}

var filledURLs = []filledURL{
	{"http://anna:${V}@host.example:81/p?q=1", password, same},
	{"http://anna:x${V}y@host.example:81/p", password, func(v string) string { return "x" + v + "y" }},
	{"http://${V}:pw@host.example/", func(u *url.URL) string { return u.User.Username() }, same},
	{"http://${V}@host.example/", userinfo, same},
	{"http://${V}${V}@host.example/", userinfo, func(v string) string { return v + v }},
	{"http://host.example/a/${V}/b?c=d", func(u *url.URL) string { return u.Path }, func(v string) string { return "/a/" + v + "/b" }},
	{"http://host.example/a b%2f/${V}", func(u *url.URL) string { return u.Path }, func(v string) string { return "/a b//" + v }},
	{"http://host.example/a?q=${V}&r=1", func(u *url.URL) string { return u.Query().Get("q") }, same},
	{"http://host.example/a?${V}=1#x", func(u *url.URL) string { p, _ := url.QueryUnescape(strings.TrimSuffix(u.RawQuery, "=1")); return p }, same},
	{"http://host.example/?${V}", func(u *url.URL) string { return u.RawQuery }, nil},
	{"http://host.example/p#${V}", func(u *url.URL) string { return u.Path }, func(string) string { return "/p" }},
	{"${S}://anna:${V}@host.example/", password, same},
	{"${BASE}/${V}?q=1", func(u *url.URL) string { return u.Path }, func(v string) string { return "/base/" + v }},
	{"{{target}}${V}", func(u *url.URL) string { return u.Query().Get("t") }, func(v string) string { return v + v }},
	{"http://host.example/{{target.field}}", func(u *url.URL) string { return u.Path }, func(v string) string { return "/f" + v }},
	{"http://host.example/?{{target.query}}", func(u *url.URL) string { return u.Query().Get("q") }, same},
	{"http://{{target.user}}@host.example/", password, same},
}

// filledFile has a probe of a template, with a target all of whose fields it names.
func filledFile(template string) string {
	return `probes: [{name: p, targets: [{name: t, target: "http://host.example/?t=${V}", field: "f${V}", query: "q=${V}&r=1", user: "anna:${V}"}], ` +
		`http: {url: '` + template + `', expect: {body: {not_contains: "x{{target}}{{target.field}}{{target.query}}{{target.user}}"}}}}]`
}

func filledWorld(value string) schema.World {
	return schema.World{LookupEnv: func(name string) (string, bool) {
		text, ok := map[string]string{"V": value, "S": "http", "BASE": "http://host.example/base"}[name]
		return text, ok
	}}
}

// FuzzFilledURL: whatever is filled into a URL, the host that is asked is the literal one, the value arrives as
// it is, and no part of it is shown.
func FuzzFilledURL(f *testing.F) {
	for _, value := range []string{
		"hunter2@zebra-9931/giraffe-77?tok4", "p@ss/w:rd?x#y", "per%cent", "sp ace", "a=1&token=zebra+giraffe%20;password=hippo",
		"abczebra#defgiraffe", "../..//x", `\\evil\x`, "[::1]:80", "é\xff\n\x00", "https://evil.example/", "<secret>", "{{target}}${V}$$", "%41%zz%", "A:b:c:", "tokeY=0 000",
	} {
		for i := range filledURLs {
			f.Add(i, value)
		}
	}
	f.Fuzz(func(t *testing.T, i int, value string) {
		if value == "" {
			return
		}
		c := filledURLs[uint(i)%uint(len(filledURLs))]
		set, err := filledWorld(value).Parse("probes.yaml", []byte(filledFile(c.template)), kinds.All(nil, "test"))
		if err != nil {
			t.Fatalf("%s with %q: %v", c.template, value, err)
		}
		d := set.Declared()[0]
		u, err := url.Parse(d.Settings.(*kinds.HTTP).URL)
		if err != nil {
			t.Fatalf("%s with %q: %v", c.template, value, err)
		}
		if u.Hostname() != "host.example" || !strings.HasPrefix(d.Settings.Host(), "host.example:") {
			t.Errorf("%s with %q leads to %s", c.template, value, u.Host)
		}
		if c.want != nil && c.read(u) != c.want(value) {
			t.Errorf("%s with %q has %q, want %q", c.template, value, c.read(u), c.want(value))
		}
		showsNoPart(t, c.template, value, set.Probes[0].Target)
	})
}

// showsNoPart looks for parts of the value in what is shown: of four bytes or more that the template does not have.
func showsNoPart(t *testing.T, template, value, shown string) {
	t.Helper()
	own := strings.ToLower(template + " http://host.example:81/base/f http://host.example/?t=&r=1/a%20b%2f/")
	rest := strings.ToLower(strings.ReplaceAll(shown, "<secret>", "\x00"))
	for at := range max(0, len(value)-3) {
		part := strings.ToLower(value[at : at+4])
		if strings.Contains(rest, part) && !strings.Contains(own, part) {
			t.Errorf("%s with %q is shown as %s, which has %q", template, value, shown, part)
		}
	}
}

// FuzzFilledHost: what is filled in for a host is one, or is refused by name.
func FuzzFilledHost(f *testing.F) {
	for _, value := range []string{"a.example", "a.example:81", "::1", "[::1]:80", "fe80::1%lo", "u@evil.example", "evil.example/x?y#z", `a\b`, "a b", "\x00", "https://evil.example", "bücher.example", "a%2fb"} {
		f.Add(value, false)
		f.Add(value, true)
	}
	f.Fuzz(func(t *testing.T, value string, ported bool) {
		template := "http://anna:pw@${V}/path?q=1"
		if ported {
			template = "http://anna:pw@${V}:81/path?q=1"
		}
		set, err := filledWorld(value).Parse("probes.yaml", []byte(`probes: [{name: p, http: {url: "`+template+`"}}]`), kinds.All(nil, "test"))
		if problems := (schema.Problems{}); errors.As(err, &problems) {
			showsNoPart(t, template+" holds where the URL has its host, and value white space in it control character no that can be probed, want a or host:port whole begins text, as without before it follows / of file's own https://www.example.com/ a b probes.yaml:1:30: probes[0].http.url port from 1 to 65535 http https such is user password own cannot-fill", value, problems.Error())
			return
		}
		u, err := url.Parse(set.Declared()[0].Settings.(*kinds.HTTP).URL)
		if err != nil || u.Path != "/path" || u.RawQuery != "q=1" || u.User.String() != "anna:pw" || u.Fragment != "" {
			t.Errorf("%s with %q is %v (%v)", template, value, u, err)
		}
	})
}
