package metrics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
)

// Describe describes nothing: a probe has its own labels and no others, so the label names of a family
// differ from probe to probe. Such a collector is what client_golang calls unchecked; that names, types
// and help are those of the table is what the table is for.
func (r *Recorder) Describe(chan<- *prometheus.Desc) {}

// Collect hands a copy of every number to client_golang.
func (r *Recorder) Collect(ch chan<- prometheus.Metric) { r.collect(ch, &selection{}) }

// collector is a part of a recorder.
type collector struct {
	*Recorder
	wanted *selection
}

// Collect hands a copy of the wanted numbers to client_golang.
func (c *collector) Collect(ch chan<- prometheus.Metric) { c.collect(ch, c.wanted) }

func (r *Recorder) collect(ch chan<- prometheus.Metric, wanted *selection) {
	if wanted.takesProcess() {
		own := r.process.read()
		r.each(nil, ch, func(f *Family, out values) {
			if f.readProcess != nil {
				f.readProcess(own, out)
			}
		})
	}
	for _, state := range r.inOrder() {
		if !wanted.takes(state.probe.Load()) {
			continue
		}
		s := &snapshot{}
		state.read(s, true)
		r.each(labelsOf(s.probe), ch, func(f *Family, out values) {
			if f.read != nil {
				f.read(s, out)
			}
		})
	}
}

// each calls read for every family; what it reads bears the labels beside the family's own.
func (r *Recorder) each(labels []*dto.LabelPair, ch chan<- prometheus.Metric, read func(*Family, values)) {
	for i := range families {
		read(&families[i], &collected{family: &families[i], desc: r.descs[i], labels: labels, ch: ch})
	}
}

// collected turns the values of one family into client_golang's metrics.
type collected struct {
	family *Family
	desc   *prometheus.Desc
	labels []*dto.LabelPair
	ch     chan<- prometheus.Metric
}

func (c *collected) value(v float64, labels ...string) {
	m := &metric{desc: c.desc}
	m.dto.Label = c.with(labels)
	if c.family.Type == Counter {
		m.dto.Counter = &dto.Counter{Value: &v}
	} else {
		m.dto.Gauge = &dto.Gauge{Value: &v}
	}
	c.ch <- m
}

func (c *collected) histogram(d *distribution) {
	m := &metric{desc: c.desc}
	m.dto.Label = c.with(nil)
	m.dto.Histogram = d.proto(c.family.Bounds)
	c.ch <- m
}

// with is the family's own labels and those beside them, sorted by name as client_golang wants them. Of
// two labels of one name the family's own stays, since a second one would make client_golang refuse the
// whole scrape.
func (c *collected) with(own []string) []*dto.LabelPair {
	if len(own) == 0 {
		return c.labels
	}
	pairs := make([]*dto.LabelPair, 0, len(own)+len(c.labels))
	for i, v := range own {
		pairs = append(pairs, pair(c.family.Labels[i], v))
	}
	return sorted(append(pairs, c.labels...))
}

// sorted sorts by name, and keeps the first of each name.
func sorted(pairs []*dto.LabelPair) []*dto.LabelPair {
	slices.SortStableFunc(pairs, byName)
	return slices.CompactFunc(pairs, func(a, b *dto.LabelPair) bool { return byName(a, b) == 0 })
}

func byName(a, b *dto.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) }

// metric is one series, as it is.
type metric struct {
	desc *prometheus.Desc
	dto  dto.Metric
}

// Desc is the family's.
func (m *metric) Desc() *prometheus.Desc { return m.desc }

// Write hands out the series.
func (m *metric) Write(out *dto.Metric) error {
	out.Label, out.Counter, out.Gauge, out.Histogram = m.dto.Label, m.dto.Counter, m.dto.Gauge, m.dto.Histogram
	return nil
}

// pair is a label. A value that is not UTF-8 would make client_golang refuse the whole scrape.
func pair(name, value string) *dto.LabelPair {
	value = strings.ToValidUTF8(value, "\uFFFD")
	return &dto.LabelPair{Name: &name, Value: &value}
}

// labelsOf are the label probe and the probe's own, sorted by name.
func labelsOf(p *probe.Probe) []*dto.LabelPair {
	pairs := []*dto.LabelPair{pair(labelProbe, p.Name)}
	userLabels(p, func(l probe.Label) { pairs = append(pairs, pair(l.Name, l.Value)) })
	return sorted(pairs)
}
