package probe_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapped is the heading of a package's map of its files.
const mapped = "# The files, by subject"

// TestMapsNameEachFile holds what packages say of their files against their folders: each file that they name is
// there, and a map names all that there are.
func TestMapsNameEachFile(t *testing.T) {
	t.Parallel()
	maps := 0
	for folder, doc := range packageDocs(t, "..") {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names := goFile.FindAllString(doc, -1)
		for _, name := range names {
			if found, err := filepath.Glob(filepath.Join(folder, name)); err != nil || len(found) == 0 && !isElsewhere(name) {
				t.Errorf("the doc of %s names %s, which is not there", folder, name)
			}
		}
		if !strings.Contains(doc, mapped) {
			continue
		}
		maps++
		for _, file := range files {
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") && !slices.ContainsFunc(names, func(p string) bool { return covered(p, name) }) {
				t.Errorf("the map of %s lacks %s", folder, name)
			}
		}
	}
	if maps < 4 {
		t.Errorf("found %d maps, want those of schema, cmd/sonde, probe/conn and probe/script", maps)
	}
}

// packageDocs are the comments of the packages below a folder, by their folders.
func packageDocs(t *testing.T, root string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil {
			docs[filepath.Dir(path)] += f.Doc.Text()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// isElsewhere is true of a file that is named with its place in the module, and is there.
func isElsewhere(name string) bool {
	found, err := filepath.Glob(filepath.Join("..", name))
	return strings.Contains(name, "/") && err == nil && len(found) > 0
}

// covered is true of a file that a name, or a pattern, of a map stands for.
func covered(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return ok && err == nil
}

// goFile is a file that a comment names, or a pattern of them.
var goFile = regexp.MustCompile(`[*a-z0-9_/]+\.go\b`)
