package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

// treeOf writes a tree with all that schema looks at.
func treeOf(n *yaml.Node) string {
	var b strings.Builder
	var write func(n *yaml.Node, depth int)
	write = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&b, "%*s%d:%d kind %d style %d tag %s anchor %s value %q\n", depth, "", n.Line, n.Column, n.Kind, n.Style, n.Tag, n.Anchor, n.Value)
		if n.Alias != nil {
			fmt.Fprintf(&b, "%*s-> %d:%d\n", depth, "", n.Alias.Line, n.Alias.Column)
		}
		for _, child := range n.Content {
			write(child, depth+1)
		}
	}
	write(n, 0)
	return b.String()
}

// agrees: a text that parses in pieces is the same tree as the whole. It returns how many pieces there were.
func agrees(t *testing.T, data []byte, size uint32) int {
	t.Helper()
	cut := cutProbes(data, size)
	if cut == nil {
		return 0
	}
	joined := bytes.Clone(cut.head)
	for _, p := range cut.pieces {
		joined = append(joined, p.text...)
	}
	if joined = append(joined, cut.tail...); !bytes.Equal(joined, data) {
		t.Fatalf("the parts are not the text, -want +got:\n%s", cmp.Diff(string(data), string(joined)))
	}
	root, list := cut.parseFrame()
	if root == nil || !cut.parsePieces(list) {
		return 0
	}
	whole, ok := parseAlone(data, 0)
	if !ok {
		t.Fatalf("pieces of a text parse that does not parse as a whole:\n%s", data)
	}
	if diff := cmp.Diff(treeOf(whole), treeOf(root)); diff != "" {
		t.Fatalf("-whole +pieces:\n%s\nof\n%s", diff, data)
	}
	return len(cut.pieces)
}

func TestPiecesAreTheWhole(t *testing.T) {
	t.Parallel()
	inPieces := 0
	for _, archive := range corpus(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range cases(a) {
			if agrees(t, data, 1) > 0 {
				inPieces++
			}
		}
	}
	if inPieces < 20 {
		t.Errorf("%d files of the corpus were parsed in pieces, want 20 or more", inPieces)
	}
	if n := agrees(t, manyProbes(1000), pieceSize); n < 1000/pieceSize/3 || n > 1000/pieceSize*3 {
		t.Errorf("a thousand probes are %d pieces, want about %d", n, 1000/pieceSize)
	}
}

// TestPiecesGiveUp: what cannot be cut for sure is left to the parser of the whole.
func TestPiecesGiveUp(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no list":                 "defaults: {}\n",
		"a flow list":             "probes: [a]\n",
		"a tab":                   "probes:\n  - a: 1\n\t- b\n",
		"other ends of lines":     "probes:\r\n  - a: 1\r\n",
		"a second document":       "probes:\n  - a: 1\n---\nb: 1\n",
		"within quotes":           "probes:\n  - a: \"x\n  - y: z\"\n  - c: 1\n",
		"within brackets":         "probes:\n  - a: {b: c,\n  - d: e}\n",
		"an alias that leads out": "x-a: &a {b: 1}\nprobes:\n  - *a\n",
		"an anchor on the list":   "probes:\n  &a\n  - b\n",
		"a key twice":             "x: \"\nprobes:\n - a\n\"\n",
	} {
		if n := agrees(t, []byte(text), 1); n > 0 {
			t.Errorf("%s: parsed in %d pieces", name, n)
		}
	}
}

// FuzzPieces: no text is another tree in pieces.
func FuzzPieces(f *testing.F) {
	for _, archive := range corpus(f) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			f.Fatal(err)
		}
		for _, data := range cases(a) {
			f.Add(data)
		}
	}
	f.Add([]byte("a: 1\nprobes:\n- |\n  x\n- >-\n y\n\n# c\n- - b\n  - c\nz: 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, wrong := illegible(data); wrong == "" && len(data) < 1<<16 {
			agrees(t, data, 1)
		}
	})
}
