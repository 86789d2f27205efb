package schema

import (
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-playground/validator/v10"
)

// tagged is the rules of one value: those of its field, or, of an element, those after dive.
type tagged struct {
	rules []rule
	typ   reflect.Type
	in    *layout // of the struct that the field is in
	like  string  // the field's example, or empty
}

// rule is one rule of a validate tag, such as max=599.
type rule struct{ name, param string }

func parseRules(tag string) []rule {
	var rules []rule
	for _, part := range strings.Split(tag, ",") {
		if name, param, _ := strings.Cut(part, "="); name != "" {
			rules = append(rules, rule{name, param})
		}
	}
	return rules
}

// below are the rules of the elements.
func below(rules []rule) []rule {
	inKeys := false
	for i, r := range rules {
		if r.name == "dive" {
			rest := rules[i+1:]
			for j, k := range rest {
				inKeys = inKeys || k.name == "keys"
				if k.name == "endkeys" {
					return rest[j+1:]
				}
			}
			return rest
		}
	}
	return nil
}

// own are the rules up to dive.
func own(rules []rule) []rule {
	for i, r := range rules {
		if r.name == "dive" {
			return rules[:i]
		}
	}
	return rules
}

// steps cuts a Go path such as Expect.Status[0] into Expect, Status, [0].
var steps = regexp.MustCompile(`\[[^\]]*\]|[^.\[\]]+`)

// ruleOf is the rules at a path of Go names below a struct.
func (r *rules) ruleOf(t reflect.Type, goPath string) tagged {
	t = deref(t)
	at := tagged{typ: t}
	for _, step := range steps.FindAllString(goPath, -1) {
		switch {
		case strings.HasPrefix(step, "[") && hasElements(at.typ):
			at.typ, at.rules = deref(at.typ.Elem()), below(at.rules)
		case at.typ.Kind() == reflect.Struct:
			f, ok := at.typ.FieldByName(step)
			if !ok {
				return at
			}
			at = tagged{typ: deref(f.Type), rules: parseRules(f.Tag.Get("validate")), in: r.walk.layouts.of(at.typ), like: f.Tag.Get("example")}
		}
	}
	return at
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func hasElements(t reflect.Type) bool {
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array
}

// had says what stands at the place, for a rule about it.
func (t tagged) had(at place) string {
	switch {
	case at.isList():
		return "has " + plural(len(at.node.Content), "element")
	case at.isMap():
		return "has " + plural(len(at.node.Content)/2, "key")
	}
	return "is " + what(at)
}

// hint is what was probably meant, or empty.
func (t tagged) hint(at place) string {
	if words := t.words(); len(words) > 0 && at.isScalar() && strings.ContainsFunc(at.node.Value, unicode.IsLetter) {
		return didYouMean(at.node.Value, words)
	}
	return ""
}

// words are the values of a oneof rule; empty when there is none.
func (t tagged) words() []string {
	for _, r := range own(t.rules) {
		if r.name == "oneof" {
			return oneOf(r.param)
		}
	}
	return nil
}

// quotedWord is a value of a oneof rule, which may stand in single quotes.
var quotedWord = regexp.MustCompile(`'[^']*'|\S+`)

func oneOf(param string) []string {
	words := quotedWord.FindAllString(param, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}

// bounds are the least and the greatest value; empty is none.
func (t tagged) bounds() (least, most string) {
	for _, r := range own(t.rules) {
		switch r.name {
		case "min", "gte":
			least = r.param
		case "max", "lte":
			most = r.param
		case "len":
			least, most = r.param, r.param
		}
	}
	return least, most
}

// wanted says what the broken rule asks for.
func (t tagged) wanted(m layouts, f validator.FieldError) string {
	switch tag := f.Tag(); tag {
	case "min", "max", "gte", "lte", "len":
		return t.span()
	case "gt":
		return "more than " + f.Param()
	case "lt":
		return "less than " + f.Param()
	case "oneof":
		return alternatives(t.words())
	case "required":
		return m.wanted(t.typ) + t.such()
	default:
		if text, ok := format(tag); ok {
			return text
		}
		return t.owed(m, f)
	}
}

// such is an example, or empty.
func (t tagged) such() string {
	for _, r := range t.rules {
		if text, ok := format(r.name); ok {
			return ": " + text
		}
	}
	if t.like != "" {
		return " such as " + t.like
	}
	return ""
}

// format is what a tag that names a form of text asks for, or one of several such.
func format(tag string) (string, bool) {
	var texts []string
	for _, name := range strings.Split(tag, "|") {
		text, ok := formats[name]
		if !ok {
			return "", false
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", or "), true
}

// formats are the tags that name a form of text.
var formats = map[string]string{
	"url":              "a URL such as https://example.com/",
	"http_url":         "a URL that begins with http:// or https://",
	"uri":              "a URL such as https://example.com/",
	"hostname":         "a host name such as example.com",
	"hostname_rfc1123": "a host name such as example.com",
	"fqdn":             "a full host name such as www.example.com",
	"hostname_port":    "host:port, such as example.com:443",
	"ip":               "an IP address such as 192.0.2.7 or 2001:db8::7",
	"ipv4":             "an IPv4 address such as 192.0.2.7",
	"ipv6":             "an IPv6 address such as 2001:db8::7",
	"ascii":            "text in ASCII",
	"printascii":       "text in printable ASCII",
	"uuid4":            "a UUID",
}

// span says the bounds of a value, a text's length, or a list's.
func (t tagged) span() string {
	least, most := t.bounds()
	noun := ""
	switch {
	case t.typ.Kind() == reflect.String:
		noun = " characters"
	case t.typ.Kind() == reflect.Map:
		noun = " keys"
	case hasElements(t.typ):
		noun = " elements"
	}
	if noun != "" && (most == "1" || most == "" && least == "1") {
		noun = strings.TrimSuffix(noun, "s")
	}
	switch {
	case least != "" && least == most:
		return "exactly " + least + noun
	case least == "":
		return "at most " + most + noun
	case most == "":
		return least + noun + " or more"
	}
	if noun == "" && t.typ.Kind() != reflect.Float64 && least == "0" && most == "1" {
		return "0 or 1"
	}
	return least + " to " + most + noun
}

// owed puts the tags about other fields into words.
func (t tagged) owed(m layouts, f validator.FieldError) string {
	others := alternatives(t.inFile(f.Param()))
	switch f.Tag() {
	case "required_with", "required_with_all":
		return m.wanted(t.typ) + t.such() + ", since " + others + " is there"
	case "required_without", "required_without_all":
		return "it or " + others
	case "excluded_with", "excluded_with_all":
		return "it left out beside " + others
	case "excluded_without", "excluded_without_all":
		return "it only together with " + others
	}
	return "what the rule " + f.Tag() + " " + others + " asks for"
}

// inFile turns Go names of fields into those of the file.
func (t tagged) inFile(param string) []string {
	words := strings.Fields(param)
	for i, w := range words {
		if t.in == nil {
			break
		}
		for _, f := range t.in.fields {
			if f.key == w {
				words[i] = f.name
			}
		}
	}
	return words
}
