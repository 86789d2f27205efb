package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// issueGitLab is one element of the list that GitLab reads.
type issueGitLab struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// writeGitLab writes a list of issues. A file that does not load stops everything, so problems are
// critical; warnings are minor.
func writeGitLab(w io.Writer, r Report) error {
	prints := r.fingerprints()
	list := []issueGitLab{}
	for _, p := range r.all() {
		path := r.path(p.File)
		issue := issueGitLab{Description: clean(p.Text), CheckName: p.Rule, Severity: "critical"}
		if p.Warning {
			issue.Severity = "minor"
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", path, prints.next(p)))
		issue.Fingerprint = hex.EncodeToString(sum[:16])
		issue.Location.Path = clean(path)
		issue.Location.Lines.Begin = p.Line
		list = append(list, issue)
	}
	return encode(w, list)
}
