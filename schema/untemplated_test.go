package schema

import "testing"

// TestUntemplatedIsTheTextAgain holds that a file may say any text, and that what is written for it is
// that text to whoever reads the file.
func TestUntemplatedIsTheTextAgain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "$", "$$", "$$$", "${x}", "$${x}", "a$b", "$5", "{", "{{", "{{{", "{{{{", "${{x}}", `{{"{{"}}`, "{$", "$ {", "}}"} {
		list, err := parts(untemplated(text))
		got := ""
		for _, p := range list {
			got += p.text
			if p.kind != literalPart {
				t.Errorf("%q is written %q, which is filled in", text, untemplated(text))
			}
		}
		if err != nil || got != text {
			t.Errorf("%q is written %q and read as %q, %v", text, untemplated(text), got, err)
		}
	}
}
