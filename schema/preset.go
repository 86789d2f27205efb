package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// defaultOf is a default as the file has it; false when there is none to speak of.
func defaultOf(v reflect.Value) (any, bool) {
	if v.Kind() == reflect.Pointer || v.Type() == durationType && v.IsZero() { // which no file can say
		return nil, false
	}
	if s, ok := v.Interface().(fmt.Stringer); ok && v.Kind() == reflect.Slice {
		return asList(s.String()), v.Len() > 0
	} else if ok {
		return s.String(), s.String() != ""
	}
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool(), true
	case v.Kind() == reflect.Slice && v.Len() > 0:
		return defaultList(v)
	case v.IsZero(), v.Kind() == reflect.Struct, v.Kind() == reflect.Map, v.Kind() == reflect.Interface, v.Kind() == reflect.Slice:
		return nil, false
	}
	return v.Interface(), true
}

// asList is the list that a type has written as a, b, c.
func asList(text string) []any {
	var list []any
	for _, part := range strings.Split(text, ", ") {
		list = append(list, Literal(part))
	}
	return list
}

// defaultList is a default that is a list.
func defaultList(v reflect.Value) (any, bool) {
	list := make([]any, v.Len())
	for i := range list {
		text, ok := defaultOf(v.Index(i))
		if !ok {
			return nil, false
		}
		if s, isText := text.(string); isText {
			text = Literal(s)
		}
		list[i] = text
	}
	return list, true
}

// Literal is a text as YAML reads it without quotes: a number, as int64, uint64 or float64, where it is one
// that those keep, and else the text.
func Literal(s string) any {
	if n, ok := freeNumber(s); ok {
		return n
	}
	return s
}
