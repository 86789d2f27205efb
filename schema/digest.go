package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// digestSize is how many bytes of the SHA-256 are kept. That two definitions of a name come to the same half
// is as good as impossible, and there may be a hundred thousand.
const digestSize = sha256.Size / 2

// digest is the SHA-256 of the definition as it holds: name, kind, common values and the kind's block,
// defaults merged, comments and order without weight. The folder counts, since relative paths start there,
// and so do the contents of the files that the block names.
func (d *definition) digest(contents []byte) string { return d.sum(d.dir, contents) }

// sum is the digest of the definition as if its file stood in dir.
func (d *definition) sum(dir string, contents []byte) string {
	w := canon{layouts: d.walk.layouts, buf: d.rules.buf[:0]}
	c := d.common
	c.Deadline = limit(c.deadline())
	c.Retry.Transient, c.Retry.Permanent = d.reasonsThatHold()
	if !c.Retry.Budget.set {
		c.Retry.Budget = budget{}
	}
	w.text(d.name)
	w.text(d.kind)
	w.text(dir)
	w.value(reflect.ValueOf(c))
	w.value(reflect.ValueOf(d.settings))
	w.buf = append(w.buf, contents...)
	d.rules.buf = w.buf
	sum := sha256.Sum256(w.buf)
	return string(sum[:digestSize])
}

// canon writes Go values so that two are written alike exactly when they are alike. It reads fields and
// calls no methods: a type that masks itself when printed must not hide that it has changed.
type canon struct {
	buf     []byte
	layouts layouts
}

func (w *canon) number(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

func (w *canon) text(s string) {
	w.number(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *canon) value(v reflect.Value) {
	if !v.IsValid() {
		w.number(0)
		return
	}
	w.number(uint64(v.Kind()))
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		w.pointed(v)
	case reflect.Struct:
		w.structure(v)
	case reflect.Map:
		w.mapping(v)
	case reflect.Slice, reflect.Array:
		w.number(uint64(v.Len()))
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	default:
		w.plain(v)
	}
}

// structure writes the fields that are part of the file, and of a type that has none, all: it is a value
// in a form of its own. What else a block holds is its kind's business, such as the network it uses,
// but for plain fields, which may tell how a value was written.
func (w *canon) structure(v reflect.Value) {
	for _, i := range w.layouts.of(v.Type()).digested {
		w.value(v.Field(i))
	}
}

// fieldsDigested are the fields of a struct that its digest knows.
func fieldsDigested(t reflect.Type, own *layout) (fields []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		if len(own.fields) == 0 || yamlName(f) != "" || isPlainKind(f.Type.Kind()) {
			fields = append(fields, i)
		}
	}
	return fields
}

// isPlainKind is true of strings, booleans and numbers.
func isPlainKind(k reflect.Kind) bool {
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Float64
}

// plain writes a string, a boolean or a number; functions and channels are no part of a definition.
func (w *canon) plain(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		w.text(v.String())
	case v.Kind() == reflect.Bool && v.Bool():
		w.number(1)
	case v.CanInt():
		w.number(uint64(v.Int()))
	case v.CanUint():
		w.number(v.Uint())
	case v.CanFloat():
		w.number(math.Float64bits(v.Float()))
	default:
		w.number(0)
	}
}

var regexpType = reflect.TypeFor[*regexp.Regexp]()

// pointed writes what a pointer or an interface holds. A compiled expression is its text.
func (w *canon) pointed(v reflect.Value) {
	switch {
	case v.IsNil():
		w.number(0)
	case v.Type() == regexpType:
		w.text(v.Elem().FieldByName("expr").String())
	default:
		w.number(1)
		w.value(v.Elem())
	}
}

// mapping writes a map in the order of its keys.
func (w *canon) mapping(v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	w.number(uint64(len(keys)))
	for _, k := range keys {
		w.value(k)
		w.value(v.MapIndex(k))
	}
}
