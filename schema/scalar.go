package schema

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type timeDuration = time.Duration

// scalar sets a string, a boolean or a number. A string is the text as it stands, so 0777 stays 0777.
func (w *walker) scalar(at place, v reflect.Value) bool {
	x, ok := w.text(at)
	if !ok {
		return false
	}
	wrong, text := "", x.text
	switch v.Kind() {
	case reflect.String:
		v.SetString(w.rebased(at, text))
	case reflect.Bool:
		wrong = setBool(v, text)
	case reflect.Float32, reflect.Float64:
		wrong = setFloat(v, text)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		wrong = setInt(v, text)
	default:
		panic("schema: probe/value.go has no rule for a field of type " + v.Type().String())
	}
	switch {
	case wrong != "" && x.absent:
		w.gap = true
		return true
	case wrong != "" && x.filled: // it may quote what was filled in
		return w.problem(at, RuleValue, "is "+what(at)+", which is filled in; want "+w.layouts.wanted(v.Type()))
	case wrong == "" && v.Kind() != reflect.String && !at.isPlain() && !x.filled:
		wrong = wantUnquoted
	}
	if wrong != "" {
		return w.problem(at, RuleType, "is "+what(at)+", "+wrong)
	}
	return true
}

const wantUnquoted = "want it without quotes"

// rebased is the path of a file as the probe's own folder has it: it was written in a profile of another
// one. Keys of paths end with _file.
func (w *walker) rebased(at place, text string) string {
	if at.doc.dir == w.dir || text == "" || filepath.IsAbs(text) || at.path == nil || !strings.HasSuffix(at.path.key, "_file") {
		return text
	}
	full := filepath.Join(at.doc.dir, text)
	if rel, err := filepath.Rel(w.dir, full); err == nil {
		return rel
	}
	return identity(full)
}

// setBool takes true and false only. YAML 1.1 had eleven ways to say each, and readers disagree on them.
func setBool(v reflect.Value, text string) string {
	switch text {
	case "true", "false":
		v.SetBool(text == "true")
		return ""
	}
	hint := map[string]string{"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
	lower := strings.ToLower(text)
	if lower == "true" || lower == "false" {
		hint[lower] = lower
	}
	if word := hint[lower]; word != "" {
		return "want true or false; write " + word
	}
	return "want true or false"
}

// decimal is a whole number that every reader of YAML reads alike.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// setInt takes decimal whole numbers.
func setInt(v reflect.Value, text string) string {
	if !decimal.MatchString(text) || text == "-0" {
		return "want a whole number" + plainly(text)
	}
	if v.CanUint() {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || v.OverflowUint(n) {
			return fmt.Sprintf("want 0 to %d", uint64(math.MaxUint64)>>(64-v.Type().Bits()))
		}
		v.SetUint(n)
		return ""
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v.OverflowInt(n) {
		most := int64(math.MaxInt64) >> (64 - v.Type().Bits())
		return fmt.Sprintf("want %d to %d", -most-1, most)
	}
	v.SetInt(n)
	return ""
}

// plainly is the hint for a number in a form that is not taken.
func plainly(text string) string {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		trimmed := strings.TrimLeft(text, "0")
		if decimal.MatchString(trimmed) && trimmed != text {
			return " without leading zeros, such as " + trimmed
		}
		return " in decimal, such as " + strconv.FormatInt(n, 10)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return " written plainly, such as " + strconv.FormatFloat(f, 'f', -1, 64)
	}
	return ""
}

// jsonNumber is a number as JSON has it: every reader of YAML reads those alike.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func setFloat(v reflect.Value, text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if !jsonNumber.MatchString(text) || err != nil {
		return "want a number, such as 0.2"
	}
	v.SetFloat(f)
	return ""
}
