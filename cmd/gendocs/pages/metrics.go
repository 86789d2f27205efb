package pages

import (
	_ "embed" // for the prose of the page
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"sonde/probe"
	"sonde/probe/metrics"
)

//go:embed metrics.md.tmpl
var metricsProse string

// Metrics makes the page METRICS.md from the table of metrics and the sets of label values.
func Metrics() ([]byte, error) {
	data := struct {
		metrics.Table
		Reasons []probe.ReasonInfo
	}{metrics.Describe(), probe.Reasons()}
	return filled("metrics", metricsProse, map[string]any{
		"labels": labels, "values": values, "blame": blame,
		"meaning": func(f metrics.Family) string { return meaning(f, data.Kept) },
	}, data)
}

// labels are the names of the labels that a family's series bear.
func labels(f metrics.Family) string {
	var names []string
	if f.PerProbe {
		names = append(names, "probe")
	}
	names = append(names, f.Labels...)
	if len(names) == 0 {
		return "–"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// meaning is the help, but for what the lead of its section says of all.
func meaning(f metrics.Family, kept string) string {
	if len(f.Bounds) == 0 {
		return strings.TrimSuffix(f.Help, kept) + "."
	}
	var bounds []string
	for _, b := range f.Bounds {
		bounds = append(bounds, strconv.FormatFloat(b, 'g', -1, 64))
	}
	return f.Help + ". Classic buckets: " + strings.Join(bounds, ", ") + "."
}

// values are the elements of a list, each as code.
func values(list any) string {
	v := reflect.ValueOf(list)
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = fmt.Sprintf("`%v`", v.Index(i))
	}
	return strings.Join(texts, ", ")
}
