package schema

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"sonde/probe"
)

// This file writes scalars as a file says them. What is filled in stays a reference, so that what is
// printed loads again wherever the original does and shows nothing that the original does not; only a
// credential that stands in the file as it is becomes <secret>.

// While it is judged what to hide, the i-th reference of a text is the rune firstRef+i, of a plane that
// is for private use.
const (
	firstRef = '\U000F0000'
	lastRef  = '\U000FFFFD'
	aRef     = `[\x{F0000}-\x{FFFFD}]`
)

var (
	// bareRef is a credential of which nothing but a scheme, or the name of a cookie, stands in the file.
	bareRef = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*[ =])?[ \pP]*(` + aRef + `[ \pP]*)+$`)
	// refPassword is userinfo of which the password, or all, is filled in.
	refPassword = regexp.MustCompile(`^//([^:@]*:)?` + aRef + `+@$`)
	// refValue is a query's value that is filled in.
	refValue = regexp.MustCompile(`=` + aRef + `+$`)
)

// asFile is a scalar as a file says it. hides is true when a credential that stands there is not shown.
func (v viewer) asFile(at place) (text string, hides bool) {
	var refs []string
	plain := v.walk.rebased(at, v.outline(at, &refs))
	if strings.IndexFunc(plain, isRef) >= 0 && countRefs(plain) != len(refs) || len(refs) > lastRef-firstRef {
		x, _ := v.walk.text(at) // the text itself has such runes: nobody writes that, so it need not load
		return untemplated(masked(at.path, x.shown)), x.secret
	}
	shown := veiled(at.path, plain)
	hides = shown != plain
	if credential := isSecret(at.path) || userinfo.MatchString(plain) || len(secretPairs(plain)) > 0; credential {
		for i, ref := range refs {
			name, fallback, _ := strings.Cut(ref, ":-")
			if fallback != "" {
				refs[i], hides = name+":-"+probe.SecretText, true
			}
		}
	}
	return withRefs(shown, refs), hides
}

// outline is a scalar's text with a rune for each reference, which it appends to refs as a file in the
// folder of the set writes it.
func (v viewer) outline(at place, refs *[]string) string {
	if at.doc.verbatim || !isTemplate(at.node.Value) {
		return at.node.Value
	}
	var b strings.Builder
	list, _ := parts(at.node.Value) // what was loaded is written as it should be
	for _, p := range list {
		switch {
		case p.kind == literalPart:
			b.WriteString(p.text)
		case p.kind == filledPart:
			b.WriteRune(rune(firstRef + len(*refs)))
			*refs = append(*refs, v.reference(at, p.text))
		case p.text == "name":
			b.WriteString(v.target.name) // it may have been made of the target's value
		default:
			b.WriteString(v.outline(v.target.fields[p.text].at, refs))
		}
	}
	return b.String()
}

// reference is the inside of ${…}, the path of a file as it is called from the folder of the set.
func (v viewer) reference(at place, inside string) string {
	name, isFile := strings.CutPrefix(inside, "file:")
	if !isFile || at.doc.dir == v.home || filepath.IsAbs(name) {
		return inside
	}
	full := filepath.Join(at.doc.dir, name)
	if rel, err := filepath.Rel(v.home, full); err == nil {
		return "file:" + rel
	}
	return "file:" + identity(full)
}

// veiled hides the credentials that stand in a text as they are.
func veiled(p *path, text string) string {
	if isSecret(p) {
		if bareRef.MatchString(text) || text == "" {
			return text
		}
		return probe.SecretText
	}
	text = userinfo.ReplaceAllStringFunc(text, func(found string) string {
		if refPassword.MatchString(found) {
			return found
		}
		return "//" + probe.SecretText + "@"
	})
	return replaceSecretPairs(text, func(found string) string {
		if refValue.MatchString(found) {
			return found
		}
		return hiddenPair(found)
	})
}

func isRef(r rune) bool { return r >= firstRef && r <= lastRef }

func countRefs(text string) (n int) {
	for _, r := range text {
		if isRef(r) {
			n++
		}
	}
	return n
}

// withRefs writes a text for a file: the references in place of their runes, and the rest so that it is
// taken as it stands.
func withRefs(text string, refs []string) string {
	var b strings.Builder
	for {
		i := strings.IndexFunc(text, isRef)
		if i < 0 {
			return b.String() + untemplated(text)
		}
		// A dollar at the end of the literal text must not join the one that begins the reference.
		b.WriteString(strings.TrimSuffix(untemplated(text[:i]+"${"), "$${"))
		r, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString("${" + refs[r-firstRef] + "}")
		text = text[i+size:]
	}
}

// home is the folder of the set: that of the file that was read first.
func (l *loader) home() string {
	if len(l.set.Files) == 0 {
		return "."
	}
	return filepath.Dir(l.set.Files[0])
}
