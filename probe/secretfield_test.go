package probe

import (
	"encoding/json"
	"testing"
)

func TestHideFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"password":                    "password",
		`"password"`:                  `"password"`,
		`{"password": "a\"b", "q":1}`: `{"password": *, "q":1}`,
		` [ {"token" :  12.5e3 , "x": {"y": "z"}}, "token", "b"]`:                 ` [ {"token" :  * , "x": {"y": "z"}}, "token", "b"]`,
		`{"secret": {"a": "b", "c": ["d", 1, true, null, {"e": "f"}]}, "g": "h"}`: `{"secret": {"a": *, "c": [*, *, true, null, {"e": *}]}, "g": "h"}`,
		`{"a": {"password": "b"}, "c": [["d"], "e"], "f": "token"}`:               `{"a": {"password": *}, "c": [["d"], "e"], "f": "token"}`,
		`{"pass\u0077ord": "b", "password": "c", "password": ""}`:                 `{"pass\u0077ord": *, "password": *, "password": *}`,
		`{"password": "b"`:    `{"password": "b"`,
		`{"password": "b"} x`: `{"password": "b"} x`,
		`{}`:                  `{}`,
	} {
		if got := HideFields(text, func(string) string { return "*" }); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

// FuzzHideFields: nothing is lost, and what is hidden is JSON.
func FuzzHideFields(f *testing.F) {
	f.Add(`{"password": "a\"b", "q":[1, {"token": 2}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		same := HideFields(text, func(value string) string {
			if !json.Valid([]byte(value)) {
				t.Errorf("of %q %q is hidden, which is no JSON", text, value)
			}
			return value
		})
		if same != text {
			t.Errorf("%q becomes %q though nothing is hidden", text, same)
		}
		if hidden := HideFields(text, func(string) string { return `"*"` }); json.Valid([]byte(text)) != json.Valid([]byte(hidden)) {
			t.Errorf("%q is shown as %q", text, hidden)
		}
	})
}
