package schema

import (
	"bytes"
	_ "embed" // for the prose of the reference
	"fmt"
	"reflect"
	"strings"
	"text/template"

	"sonde/probe"
)

//go:embed reference.md.tmpl
var referenceProse string

// GenerateReference makes the reference page of files with these kinds, as GenerateJSONSchema does.
func GenerateReference(root string, kinds []probe.Kind) ([]byte, error) {
	g := &generator{layouts: layouts{}, comments: newComments(root)}
	base := builtin()
	data := struct {
		Common  []section
		Kinds   []kindPage
		Reasons []probe.ReasonInfo
		Rules   []RuleInfo
		Labels  []string
	}{
		Common: g.sections("", reflect.ValueOf(&base).Elem()), Reasons: probe.Reasons(), Rules: Rules(), Labels: reservedLabels,
	}
	for _, k := range kinds {
		settings := reflect.ValueOf(k.New()).Elem()
		data.Kinds = append(data.Kinds, kindPage{k.Name, g.comment(settings.Type()).text, g.sections(k.Name, settings)})
	}
	t, err := template.New("reference").Funcs(template.FuncMap{"cell": cell, "blame": blame}).Parse(referenceProse)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), g.err
}

// kindPage is what the page says of a kind.
type kindPage struct {
	Name, Text string
	Sections   []section
}

// section is a block of the file: a mapping and its keys.
type section struct {
	Path, Text string
	Rows       []row
}

// row is one key.
type row struct{ Key, Value, Default, Text string }

// sections are the block of a struct and those of the structs within it, in the order of the fields.
func (g *generator) sections(path string, v reflect.Value) []section {
	doc := g.comment(v.Type())
	list := []section{{Path: path}}
	var within []section
	for _, f := range g.layouts.of(v.Type()).fields {
		inner := v.FieldByIndex(f.index)
		at := f.name
		if path != "" {
			at = path + "." + f.name
		}
		more, anchor := g.within(at, inner, doc.fields[f.key]), ""
		if more != nil {
			anchor = anchorOf(more[0].Path)
		}
		list[0].Rows = append(list[0].Rows, g.row(f, inner, doc.fields[f.key], anchor))
		within = append(within, more...)
	}
	return append(list, within...)
}

// anchorOf is how a page names a heading: in lower case, without dots and brackets.
func anchorOf(heading string) string {
	return strings.NewReplacer(".", "", "[", "", "]", "").Replace(strings.ToLower(heading))
}

// within are the sections of a struct that is the value of a field, or the element of its list or map.
func (g *generator) within(at string, v reflect.Value, text string) []section {
	t := v.Type()
	for t.Kind() == reflect.Pointer || hasElements(t) {
		switch t.Kind() {
		case reflect.Slice:
			at += "[]"
		case reflect.Map:
			at += ".NAME"
		}
		t = t.Elem()
		v = reflect.New(t).Elem()
	}
	if t.Kind() != reflect.Struct || len(g.layouts.of(t).fields) == 0 {
		return nil
	}
	list := g.sections(at, v)
	list[0].Text = text
	if text == "" {
		list[0].Text = g.comment(t).text
	}
	return list
}

// row says what one key may hold. The anchor is that of the section that says more, or empty.
func (g *generator) row(f field, v reflect.Value, comment, anchor string) row {
	t := tagged{rules: parseRules(f.rules), typ: deref(f.typ)}
	if comment == "" {
		comment = g.comment(t.typ).text
	}
	r := row{Key: f.name, Value: g.short(t), Text: comment}
	if anchor != "" {
		r.Value = strings.Replace(r.Value, "a mapping", "[a mapping](#"+anchor+")", 1)
	}
	if d, ok := defaultOf(v); ok {
		r.Default = inFlow(d)
	}
	switch hint := f.tag.Get("preset"); {
	case hint != "":
		r.Default = hint
	case f.required(v):
		r.Default = "required"
	}
	return r
}

// inFlow is a default on one line.
func inFlow(d any) string {
	list, ok := d.([]any)
	if !ok {
		return fmt.Sprintf("`%v`", d)
	}
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = fmt.Sprint(list[i])
	}
	return "`[" + strings.Join(parts, ", ") + "]`"
}

// short says in a few words what may stand for a type under its rules.
func (g *generator) short(t tagged) string {
	switch {
	case len(t.words()) > 0:
		return "`" + strings.Join(t.words(), "` `") + "`"
	case isOneOrMany(t.typ):
		return g.short(tagged{rules: below(t.rules), typ: deref(t.typ.Elem())}) + ", or a list of such"
	case t.typ.Kind() == reflect.Slice && !isValue(t.typ):
		return "a list, each " + g.short(tagged{rules: below(t.rules), typ: deref(t.typ.Elem())})
	case t.typ.Kind() == reflect.Map && !isValue(t.typ):
		return "names, each with " + g.short(tagged{rules: below(t.rules), typ: deref(t.typ.Elem())})
	case isValue(t.typ) || t.typ == durationType:
		text, _, _ := strings.Cut(g.layouts.wanted(t.typ), " with keys of ")
		return strings.Replace(text, " with a unit, such as 500ms, 30s, 1m30s or 1d", "", 1)
	case t.typ.Kind() == reflect.Struct:
		return "a mapping"
	}
	return g.formatted(t)
}

// formatted says the form of a text, or the bounds of a number.
func (g *generator) formatted(t tagged) string {
	for _, r := range t.rules {
		if text, ok := format(r.name); ok {
			return text
		}
	}
	least, most := t.bounds()
	if t.typ.Kind() != reflect.String && (least != "" || most != "") {
		return t.span()
	}
	return g.layouts.wanted(t.typ)
}

// cell is a text that fits into a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n\n", "<br>", "\n", " ").Replace(s)
}

// blame says whose fault a reason is.
func blame(b probe.Blame) string {
	switch b {
	case probe.Ours:
		return "ours"
	case probe.OfEnd:
		return "the run's end"
	}
	return "the target"
}
