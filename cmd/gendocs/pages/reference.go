package pages

import (
	"bytes"
	"cmp"
	_ "embed" // for the prose of the reference
	"fmt"
	"reflect"
	"strings"
	"text/template"

	"sonde/probe"
	"sonde/schema"
)

//go:embed reference.md.tmpl
var referenceProse string

// Reference makes the reference page of files with these kinds, as JSONSchema does.
func Reference(root string, kinds []probe.Kind) ([]byte, error) {
	g := &generator{language: schema.Describe(), comments: newComments(root)}
	data := struct {
		Common  []section
		Kinds   []kindPage
		Reasons []probe.ReasonInfo
		Rules   []schema.RuleInfo
		Labels  []string
	}{
		Common: g.sections("", g.language.Common), Reasons: probe.Reasons(), Rules: schema.Rules(), Labels: g.language.ReservedLabels,
	}
	for _, k := range kinds {
		shape := schema.ShapeOf(k.New())
		data.Kinds = append(data.Kinds, kindPage{k.Name, g.comment(shape.Type).text, g.sections(k.Name, shape)})
	}
	page, err := filled("reference", referenceProse, template.FuncMap{"cell": cell, "blame": blame}, data)
	return page, cmp.Or(g.err, err)
}

// filled is a page's prose with the data in it.
func filled(name, prose string, words template.FuncMap, data any) ([]byte, error) {
	t, err := template.New(name).Funcs(words).Parse(prose)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
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
func (g *generator) sections(path string, shape schema.Shape) []section {
	doc := g.comment(shape.Type)
	list := []section{{Path: path}}
	var within []section
	for _, k := range shape.Keys {
		at := k.Name
		if path != "" {
			at = path + "." + k.Name
		}
		more, anchor := g.within(at, k.Shape, doc.fields[k.GoName]), ""
		if more != nil {
			anchor = anchorOf(more[0].Path)
		}
		list[0].Rows = append(list[0].Rows, g.row(k, doc.fields[k.GoName], anchor))
		within = append(within, more...)
	}
	return append(list, within...)
}

// anchorOf is how a page names a heading: in lower case, without dots and brackets.
func anchorOf(heading string) string {
	return strings.NewReplacer(".", "", "[", "", "]", "").Replace(strings.ToLower(heading))
}

// within are the sections of a struct that is the value of a field, or the element of its list or map.
func (g *generator) within(at string, shape schema.Shape, text string) []section {
	for shape.Element != nil {
		switch shape.Type.Kind() {
		case reflect.Slice:
			at += "[]"
		case reflect.Map:
			at += ".NAME"
		}
		shape = *shape.Element
	}
	if shape.Keys == nil {
		return nil
	}
	list := g.sections(at, shape)
	list[0].Text = text
	if text == "" {
		list[0].Text = g.comment(shape.Type).text
	}
	return list
}

// row says what one key may hold. The anchor is that of the section that says more, or empty.
func (g *generator) row(k schema.Key, comment, anchor string) row {
	if comment == "" {
		comment = g.comment(k.Type).text
	}
	r := row{Key: k.Name, Value: short(k.Shape), Text: comment}
	if anchor != "" {
		r.Value = strings.Replace(r.Value, "a mapping", "[a mapping](#"+anchor+")", 1)
	}
	switch {
	case k.Preset != "":
		r.Default = k.Preset
	case k.Required:
		r.Default = "required"
	case k.Default != nil:
		r.Default = inFlow(k.Default)
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

// short says in a few words what may stand at a place.
func short(shape schema.Shape) string {
	switch kind := shape.Type.Kind(); {
	case len(shape.Words) > 0:
		return "`" + strings.Join(shape.Words, "` `") + "`"
	case shape.OneOrMany:
		return short(*shape.Element) + ", or a list of such"
	case shape.Scalar:
		text, _, _ := strings.Cut(shape.Wanted, " with keys of ")
		return strings.Replace(text, " with a unit, such as 500ms, 30s, 1m30s or 1d", "", 1)
	case kind == reflect.Slice:
		return "a list, each " + short(*shape.Element)
	case kind == reflect.Map:
		return "names, each with " + short(*shape.Element)
	case kind == reflect.Struct:
		return "a mapping"
	}
	return shape.Wanted
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
