package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/schema"
)

// shelf is a file of a shape of its own.
type shelf struct {
	Label string `yaml:"label" validate:"required"`
	Books []book `yaml:"books" validate:"dive"`
}

type book struct {
	Title string `yaml:"title" validate:"required"`
	Pages int    `yaml:"pages" validate:"min=1"`
}

func (s *shelf) Check() []probe.Fault {
	if len(s.Books) > 1 && s.Books[0].Title == s.Books[1].Title {
		return []probe.Fault{{Place: "books[1].title", Text: "stands there already, want each book once"}}
	}
	return nil
}

func TestDecodeOfAnotherShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"good", "label: a\nbooks:\n- {title: x, pages: 3}\n", ""},
		{"unknown key", "label: a\nbooks:\n- {titel: x, pages: 3}\n",
			"f.yaml:3:4: books[0].titel is not a known key; did you mean title?"},
		{"all at once", "books:\n- {title: x, pages: many}\n- 3\n",
			"f.yaml:2:21: books[0].pages is \"many\", want a whole number\nf.yaml:3:3: books[1] is 3, want a mapping with keys of title, pages, as in {title: 3}"},
		{"missing", "books:\n- {pages: 3}\n",
			"f.yaml:1:1: label is missing, want text\nf.yaml:2:3: books[0].title is missing, want text"},
		{"owed", "label: a\nbooks: [{title: x, pages: 1}, {title: x, pages: 1}]\n",
			"f.yaml:2:39: books[1].title stands there already, want each book once"},
		{"list", "- a\n", "f.yaml:1:1: the file is a list, want a mapping with keys of label, books"},
		{"no text", "", "f.yaml:1:1: the file is empty, want a mapping with keys of label, books"},
		{"nothing", "~\n", "f.yaml:1:1: the file is empty, want a mapping with keys of label, books"},
		{"no YAML", "label: [\n", "f.yaml:2:1: this is not YAML: did not find expected node content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Decode("f.yaml", []byte(c.text), &shelf{})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problems, want - got +:\n%s", diff)
			}
		})
	}
}

func TestDocumentKnowsPlaces(t *testing.T) {
	t.Parallel()
	d, err := schema.Decode("f.yaml", []byte("label: a\nbooks:\n- title: x\n  pages: 3\n"), &shelf{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range []string{"books[0].pages", "books[0].author"} {
		got = append(got, d.Problem(probe.Fault{Place: path, Text: "is wrong"}).String())
	}
	want := "f.yaml:4:10: books[0].pages is wrong\nf.yaml:3:3: books[0].author is wrong"
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("places, want - got +:\n%s", diff)
	}
}
