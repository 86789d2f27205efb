package probe_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapsNameFilesThatAreThere holds the maps of the packages with many files to the files.
func TestMapsNameFilesThatAreThere(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"../schema/schema.go", "../cmd/sonde/main.go"} {
		text, err := os.ReadFile(of)
		if err != nil {
			t.Fatal(err)
		}
		comment, _, _ := strings.Cut(string(text), "\npackage ")
		names := goFile.FindAllString(comment, -1)
		if len(names) < 20 {
			t.Errorf("%s names %d files, want a map of the package", of, len(names))
		}
		for _, name := range names {
			folder := filepath.Dir(of)
			if strings.Contains(name, "/") {
				folder = ".."
			}
			if found, err := filepath.Glob(filepath.Join(folder, name)); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", of, name)
			}
		}
	}
}

// goFile is a file that a comment names, or a pattern of them.
var goFile = regexp.MustCompile(`[*a-z0-9_/]+\.go\b`)
