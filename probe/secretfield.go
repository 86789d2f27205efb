package probe

import (
	"encoding/json"
	"strings"
)

// HideFields is a text in which, where it is JSON, what hide makes of it stands in the place of each text and
// number under a name that looks like a secret's (IsSecretParameter). Hide is given it as JSON, quotes included.
// All else stays as it is. It is the counterpart of HidePairs for what is sent as JSON.
func HideFields(text string, hide func(value string) string) string {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' || !json.Valid([]byte(text)) {
		return text
	}
	f := fieldReader{in: json.NewDecoder(strings.NewReader(text)), text: text, hide: hide}
	f.in.UseNumber()
	for f.next() {
	}
	return f.out.String() + text[f.copied:]
}

// fieldReader reads JSON token by token.
type fieldReader struct {
	in     *json.Decoder
	text   string
	hide   func(string) string
	levels []fieldLevel
	out    strings.Builder
	copied int // how much of the text is in out
}

// fieldLevel is an object or a list that is being read.
type fieldLevel struct {
	object bool
	key    bool // what follows is a name
	within bool // all of it stands under a secret's name
	secret bool // what follows does
}

// next reads one token, and is false at the end.
func (f *fieldReader) next() bool {
	from := f.in.InputOffset()
	token, err := f.in.Token()
	if err != nil {
		return false
	}
	var in fieldLevel
	if n := len(f.levels); n > 0 {
		in = f.levels[n-1]
	}
	switch t := token.(type) {
	case json.Delim:
		f.delimiter(t, in)
		return true
	case string:
		if in.object && in.key {
			f.levels[len(f.levels)-1] = fieldLevel{object: true, within: in.within, secret: in.within || IsSecretParameter(t)}
			return true
		}
		f.value(in, from)
	case json.Number:
		f.value(in, from)
	}
	f.after()
	return true
}

func (f *fieldReader) delimiter(d json.Delim, in fieldLevel) {
	if d == '{' || d == '[' {
		f.levels = append(f.levels, fieldLevel{object: d == '{', key: d == '{', within: in.secret, secret: in.secret})
		return
	}
	f.levels = f.levels[:len(f.levels)-1]
	f.after()
}

// after says that a value has ended.
func (f *fieldReader) after() {
	if n := len(f.levels); n > 0 && f.levels[n-1].object {
		f.levels[n-1].key = true
	}
}

// value offers the value that was read to be hidden.
func (f *fieldReader) value(in fieldLevel, from int64) {
	if !in.secret {
		return
	}
	end := int(f.in.InputOffset())
	raw := strings.TrimLeft(f.text[from:end], " \t\r\n:,")
	f.out.WriteString(f.text[f.copied : end-len(raw)])
	f.out.WriteString(f.hide(raw))
	f.copied = end
}
