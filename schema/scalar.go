package schema

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type timeDuration = time.Duration

// text is a scalar's text as its author means it: $$ is a dollar, and ${ is kept for a later version.
func (w *walker) text(at place) (string, bool) {
	s := at.node.Value
	if !strings.Contains(s, "$") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		switch {
		case strings.HasPrefix(s[i:], "$$"):
			i++
		case strings.HasPrefix(s[i:], "${"):
			return "", w.problem(at, RuleReserved,
				"holds ${, which is reserved for a later version that fills in values there; write $${ for the text ${")
		}
	}
	return b.String(), true
}

// scalar sets a string, a boolean or a number. A string is the text as it stands, so 0777 stays 0777.
func (w *walker) scalar(at place, v reflect.Value) bool {
	text, ok := w.text(at)
	if !ok {
		return false
	}
	wrong := ""
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
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
	if wrong == "" && v.Kind() != reflect.String && !at.isPlain() {
		wrong = "want it without quotes"
	}
	if wrong != "" {
		return w.problem(at, RuleType, "is "+what(at)+", "+wrong)
	}
	return true
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
