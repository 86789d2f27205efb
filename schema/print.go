package schema

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"sonde/probe"
)

// WriteYAML writes probes as one file that says all their values. Loaded from the folder of the first of
// the files that declare them it makes the same probes, but for credentials that stand in those files as
// they are, which are masked. With origin each value has a comment that says where it comes from. A limit
// that never fires, and of which nobody is warned, is a comment; where it is not built in defaults: has it.
func WriteYAML(w io.Writer, probes []Effective, origin bool) error {
	p := &printer{origin: origin, beaten: beatenDefaults(probes)}
	p.defaults()
	p.text.WriteString("probes:")
	if len(probes) == 0 {
		p.text.WriteString(" []")
	}
	p.text.WriteString("\n")
	for i := range probes {
		p.item(2, &Value{Form: Mapping, Values: probes[i].Values})
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// printer writes values as YAML in block style; lists of scalars and what is empty stand on one line.
type printer struct {
	text   strings.Builder
	origin bool
	beaten []*Value // what stands below defaults
}

// entry writes a key and its value, indented by n.
func (p *printer) entry(n int, v *Value) {
	comment := ""
	switch silent := p.silent(v); {
	case silent && v.Form == Mapping:
		comment = "# "
	case silent:
		comment = "# never fires: "
	}
	fmt.Fprintf(&p.text, "%*s%s%s:", n, "", idleComment(v, comment), inYAML(v.Key))
	p.value(n, v)
}

// value writes what stands after a key or a dash.
func (p *printer) value(n int, v *Value) {
	if line, ok := v.Line(); ok {
		p.text.WriteString(" " + line)
		p.end(v)
		return
	}
	p.text.WriteString("\n")
	for i := range v.Values {
		if v.Form == List {
			p.item(n+2, &v.Values[i])
		} else {
			p.entry(n+2, &v.Values[i])
		}
	}
}

// item writes an element of a list.
func (p *printer) item(n int, v *Value) {
	_, short := v.Line()
	if short || v.Form == List {
		fmt.Fprintf(&p.text, "%*s-", n, "")
		p.value(n, v)
		return
	}
	inner := printer{origin: p.origin, beaten: p.beaten}
	for i := range v.Values {
		inner.entry(n+2, &v.Values[i])
	}
	text := inner.text.String()
	fmt.Fprintf(&p.text, "%*s- %s", n, "", text[n+2:])
}

// end writes the origin and ends the line.
func (p *printer) end(v *Value) {
	if p.origin {
		p.text.WriteString("  # " + probe.Printable(v.Origin.String()))
	}
	p.text.WriteString("\n")
}

// Line is the value as YAML where it fits on one line: a scalar, a list of scalars, or what is empty.
func (v *Value) Line() (text string, ok bool) {
	switch {
	case v.Form == Scalar:
		return v.Text, true
	case len(v.Values) == 0 && v.Form == List:
		return "[]", true
	case len(v.Values) == 0:
		return "{}", true
	case v.Form == Mapping:
		return "", false
	}
	texts := make([]string, len(v.Values))
	for i := range v.Values {
		if v.Values[i].Form != Scalar {
			return "", false
		}
		texts[i] = v.Values[i].within()
	}
	return "[" + strings.Join(texts, ", ") + "]", true
}

// within is a scalar as it stands between brackets, where yaml.v3 ends a plain one at a question mark.
func (v *Value) within() string {
	if strings.Contains(v.Text, "?") && v.Text[0] != '"' {
		return strconv.Quote(v.Text)
	}
	return v.Text
}
