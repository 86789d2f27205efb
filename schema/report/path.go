package report

import (
	"net/url"
	"path/filepath"
	"strings"
)

// path is a file's name as CI programs want it: relative to the root and with forward slashes. Of a file
// outside of the root it is absolute.
func (r Report) path(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.ToSlash(filepath.Clean(name))
	}
	root, err := filepath.Abs(r.Root) // of "" it is the working directory
	if err != nil {
		return filepath.ToSlash(abs)
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// uri is the path as a URI, relative where the path is, and whether it is.
func (r Report) uri(name string) (uri string, relative bool) {
	p := r.path(name)
	if relative = !strings.HasPrefix(p, "/"); relative {
		return (&url.URL{Path: p}).String(), true
	}
	return (&url.URL{Scheme: "file", Path: p}).String(), false
}
