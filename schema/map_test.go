package schema

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goFile = regexp.MustCompile(`[*a-z0-9_/]+\.go\b`)

// TestMapNamesFilesThatAreThere holds the map of the package comment to the files.
func TestMapNamesFilesThatAreThere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("schema.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\npackage schema\n")
	names := goFile.FindAllString(comment, -1)
	if len(names) < 20 {
		t.Errorf("the map names %d files, want a map", len(names))
	}
	for _, name := range names {
		if strings.Contains(name, "/") {
			name = filepath.Join("..", name)
		}
		if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
			t.Errorf("the map names %s, which is not there", name)
		}
	}
}
