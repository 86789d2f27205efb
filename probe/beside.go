package probe

import "strings"

// Beside is the text of an error as it stands beside its reason, so that none is told twice: without the
// reason where the text begins with that in words, as in "limit total (2s) passed". Any other text is returned
// as it is, and so is what would leave nothing.
func (r Reason) Beside(text string) string {
	rest, doubled := strings.CutPrefix(text, strings.Replace(string(r), "_", " ", 1))
	switch {
	case !doubled || r == "":
		return text
	case strings.HasPrefix(rest, ": "):
		return rest[len(": "):]
	case strings.HasPrefix(rest, " ("):
		length, rest, _ := strings.Cut(rest[len(" ("):], ")")
		return length + rest
	case strings.HasPrefix(rest, " "):
		return rest[len(" "):]
	}
	return text
}
