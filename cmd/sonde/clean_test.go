package main

import "testing"

func TestCleanShowsWhatATerminalWouldObey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain text is left alone", `status 503, want "2xx" – grüße`, `status 503, want "2xx" – grüße`},
		{"an escape sequence", "a\x1b[31mred", `a\x1b[31mred`},
		{"an eight-bit escape sequence", "a\u009b31m", `a\x9b31m`},
		{"delete and bell", "a\x7f\a", `a\x7f\x07`},
		{"a line break", "one\ntwo\n", "one; two"},
		{"a carriage return that would hide the line", "bad\rgood", `bad\x0dgood`},
		{"a turned direction", "a\u202eb", `a\u202eb`},
		{"a byte that is no UTF-8", "a\x9bb", "a\ufffdb"},
		{"a tab", "a\tb", "a b"},
	} {
		if got := clean(tt.text); got != tt.want {
			t.Errorf("%s: clean(%q) is %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
