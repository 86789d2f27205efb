package metrics

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/common/model"
)

// form is one of the two text forms: Prometheus' own, version 0.0.4, or OpenMetrics, version 1.0.
type form bool

const (
	textForm    form = false
	openMetrics form = true
)

// part is a family as it stands in a form: what need not be made anew for every line.
type part struct {
	*Family
	head string // the comments above it
	line string // what a line of a counter or a gauge begins with, the first brace not included
	// bucket, sum and count are the same for the lines of a histogram.
	bucket, sum, count string
	names              []string // of the own labels, as in reason="
	bounds             []string // as in le="0.5", of every classic bucket and the one above them all
}

// parts are all families in each form, sorted by name.
var parts = map[form][]part{textForm: textForm.parts(), openMetrics: openMetrics.parts()}

func (f form) parts() []part {
	list := make([]part, len(families))
	for i := range families {
		list[i] = f.part(&families[i])
	}
	slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (f form) part(of *Family) part {
	p := part{Family: of, line: of.Name, bucket: of.Name + "_bucket", sum: of.Name + "_sum", count: of.Name + "_count"}
	name, help := of.Name, strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(of.Help)
	if f == openMetrics {
		help = strings.ReplaceAll(help, `"`, `\"`)
		if of.Type == Counter {
			name = strings.TrimSuffix(name, "_total")
		}
	}
	p.head = "# HELP " + name + " " + help + "\n# TYPE " + name + " " + string(of.Type) + "\n"
	for _, label := range of.Labels {
		p.names = append(p.names, label+`="`)
	}
	for _, bound := range append(slices.Clone(of.Bounds), math.Inf(+1)) {
		p.bounds = append(p.bounds, model.BucketLabel+`="`+string(f.number(nil, bound))+`"`)
	}
	return p
}

// number appends a value: a whole number in plain digits, with .0 after it in OpenMetrics.
func (f form) number(to []byte, v float64) []byte {
	if v != math.Trunc(v) || math.Abs(v) >= 1e15 { // what is no number and what is infinite are here, too
		return strconv.AppendFloat(to, v, 'g', -1, 64)
	}
	to = strconv.AppendInt(to, int64(v), 10)
	if f == openMetrics {
		to = append(to, ".0"...)
	}
	return to
}

// quoted appends a label's value as it stands between quotes. What is not UTF-8 becomes U+FFFD, a run of
// such bytes one.
func quoted(to []byte, value string) []byte {
	if !utf8.ValidString(value) {
		value = strings.ToValidUTF8(value, "\uFFFD")
	}
	from := 0
	for i := range len(value) {
		escape := ""
		switch value[i] {
		case '\\':
			escape = `\\`
		case '\n':
			escape = `\n`
		case '"':
			escape = `\"`
		default:
			continue
		}
		to = append(append(to, value[from:i]...), escape...)
		from = i + 1
	}
	return append(to, value[from:]...)
}
