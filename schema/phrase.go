package schema

import (
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
)

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
