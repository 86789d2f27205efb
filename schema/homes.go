package schema

import (
	"reflect"
	"slices"
	"strings"

	"sonde/probe"
)

// wholes are the keys that take as one text what people bring along in parts, in which form.
var wholes = []struct{ key, form string }{{"address", `"host:port"`}, {"url", `"https://host:port/path"`}}

// wholeOf is which of these names stands for a part of it, such as host; empty where none does.
func wholeOf(part string, names []string) (key, hint string) {
	if part != "host" && part != "hostname" && part != "port" {
		return "", ""
	}
	for _, w := range wholes {
		if slices.Contains(names, w.key) {
			return w.key, "want " + w.key + ": " + w.form
		}
	}
	if slices.Contains(names, "interval") && slices.Contains(names, "targets") {
		return part, "it is a part of the address: " + `tcp: {address: "host:port"}, or http: {url: "https://host:port/path"}`
	}
	return "", ""
}

// maxHomes bounds how many places a hint names.
const maxHomes = 3

// begin makes the walker ready for a document: what was wrong with another does not count in it.
func (w *walker) begin(kinds []string, newOf func(kind string) probe.Settings) {
	w.bad, w.fill = nil, &filling{public: true}
	if w.homes != nil {
		return
	}
	w.homes = map[string][]string{}
	w.settle(commonType, "probes[].", nil)
	for _, name := range kinds {
		w.home(name, "probes[]."+name)
		w.settle(reflect.TypeOf(newOf(name)), "probes[]."+name+".", nil)
	}
	for _, name := range topKeys {
		w.home(name, "the top level of the file")
	}
	for _, name := range ownKeys {
		w.home(name, "probes[]."+name)
	}
}

// settle notes where the fields of a struct stand, and those of the structs within it.
func (w *walker) settle(t reflect.Type, at string, within []reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return
	}
	for _, f := range w.layouts.of(t).fields {
		w.home(f.name, at+f.name)
		w.settle(f.typ, at+f.name+".", append(within, t))
	}
}

// home notes one place of a name, unless the name has another above it: a url at a probe is the http
// block's, not its proxy's.
func (w *walker) home(name, at string) {
	above := strings.TrimSuffix(at, name)
	for _, other := range w.homes[name] {
		if block := strings.TrimSuffix(other, name); strings.HasPrefix(above, block) && block != "probes[]." {
			return
		}
	}
	if len(w.homes[name]) < maxHomes {
		w.homes[name] = append(w.homes[name], at)
	}
}
