package metrics

import (
	"slices"
	"strconv"

	"sonde/probe"
)

// lines writes the series of families in one of the text forms. It is the values of the family and the
// probe that it was last told of.
type lines struct {
	form
	buf    []byte
	part   *part
	labels block        // of the probe; empty of the process
	probe  *probe.Probe // nil of the process
}

var _ values = (*lines)(nil)

// value writes a line.
func (l *lines) value(v float64, own ...string) {
	l.series(l.part.line, own, "")
	l.buf = append(l.form.number(l.buf, v), '\n')
}

// histogram writes the lines of the classic buckets, of which there is always the one above them all,
// the sum and the count.
func (l *lines) histogram(d *distribution) {
	last := len(l.part.bounds) - 1
	if d.sides&classicSide != 0 {
		sum := uint64(0)
		for i, bound := range l.part.bounds[:last] {
			sum += d.classic[i]
			l.counted(l.part.bucket, bound, sum)
		}
	}
	l.counted(l.part.bucket, l.part.bounds[last], d.count)
	l.series(l.part.sum, nil, "")
	l.buf = append(l.form.number(l.buf, d.sum), '\n')
	l.counted(l.part.count, "", d.count)
}

// counted writes a line of a histogram.
func (l *lines) counted(name, bound string, n uint64) {
	l.series(name, nil, bound)
	l.buf = append(strconv.AppendUint(l.buf, n, 10), '\n')
}

// series writes what is before the value: the name, the label probe, the family's own labels, the
// user's, and the bound of a bucket.
func (l *lines) series(name string, own []string, bound string) {
	b := append(l.buf, name...)
	open := len(b)
	if len(own) == 0 {
		b = separated(b, l.labels.text)
	} else {
		b = separated(b, l.labels.text[:l.labels.name])
		for i, value := range own {
			b = separated(b, l.part.names[i])
			b = append(quoted(b, value), '"')
		}
		b = l.users(b)
	}
	b = separated(b, bound)
	if len(b) > open {
		b[open] = '{'
		b = append(b, '}')
	}
	l.buf = append(b, ' ')
}

// separated appends a label after a comma, unless it is empty.
func separated[T string | []byte](b []byte, label T) []byte {
	if len(label) == 0 {
		return b
	}
	return append(append(b, ','), label...)
}

// users appends the user's labels, but for those that have the name of one of the family's own: a
// second one would make Prometheus refuse the whole scrape.
func (l *lines) users(b []byte) []byte {
	if !l.labels.clashes {
		return append(b, l.labels.text[l.labels.name:]...)
	}
	userLabels(l.probe, func(label probe.Label) {
		if !slices.Contains(l.part.Labels, label.Name) {
			b = labelled(b, label)
		}
	})
	return b
}
