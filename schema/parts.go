package schema

import (
	"fmt"
	"regexp"
	"strings"
)

// part is a piece of a scalar's text.
type part struct {
	kind partKind
	text string // what stands there, or what is between the braces
}

type partKind int

const (
	literalPart partKind = iota
	filledPart           // ${…}
	targetPart           // {{…}}
)

// isTemplate is true of a text that is not taken as it stands.
func isTemplate(s string) bool { return strings.Contains(s, "$") || strings.Contains(s, "{{") }

// parts takes a scalar's text apart. $$ is a dollar and {{"{{"}} is {{. The error is what is wrong with
// it, for `holds …`.
func parts(s string) ([]part, error) {
	var list []part
	var plain strings.Builder
	flush := func(p part) {
		if plain.Len() > 0 {
			list = append(list, part{literalPart, plain.String()})
			plain.Reset()
		}
		list = append(list, p)
	}
	for s != "" {
		p, rest, err := nextPart(s)
		if err != nil {
			return nil, err
		}
		if p.kind == literalPart {
			plain.WriteString(p.text)
		} else {
			flush(p)
		}
		s = rest
	}
	flush(part{})
	return list, nil
}

// nextPart cuts off the first part of a text.
func nextPart(s string) (p part, rest string, err error) {
	switch {
	case strings.HasPrefix(s, "$$"):
		return part{literalPart, "$"}, s[2:], nil
	case strings.HasPrefix(s, "${{"):
		return p, "", fmt.Errorf("holds ${{, which means nothing here; want ${NAME} for a variable, or {{target}} for the target")
	case strings.HasPrefix(s, "${"):
		return filledBy(s[2:])
	case strings.HasPrefix(s, "{{"):
		return targetOf(s[2:])
	}
	n := strings.IndexAny(s[1:], "${") + 1
	if n == 0 {
		n = len(s)
	}
	return part{literalPart, s[:n]}, s[n:], nil
}

// variable is what may stand in ${…} and is no file: a name, and what holds when it is not set or empty.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(:-[^$]*)?$`)

const wantFilled = "want ${NAME}, ${NAME:-default}, ${file:PATH} or ${cred:NAME}, or $${ for the text ${"

// filledBy reads the inside of ${…}.
func filledBy(s string) (p part, rest string, err error) {
	inside, rest, closed := strings.Cut(s, "}")
	if !closed {
		return p, "", fmt.Errorf("holds ${ without its }, %s", wantFilled)
	}
	kind, arg, hasKind := strings.Cut(inside, ":")
	switch {
	case hasKind && (kind == "file" || kind == "cred") && !strings.HasPrefix(arg, "-"):
		if arg == "" || kind == "cred" && (strings.ContainsAny(arg, `/\`) || arg == "." || arg == "..") {
			return p, "", fmt.Errorf("holds ${%s}, %s", clip(inside), wantFilled)
		}
	case !variable.MatchString(inside):
		return p, "", fmt.Errorf("holds ${%s}, %s", beforeDefault(inside), wantFilled)
	}
	return part{filledPart, inside}, rest, nil
}

// beforeDefault is what may be shown of a variable that is misspelt: not what it falls back to.
func beforeDefault(inside string) string {
	name, _, cut := strings.Cut(inside, ":")
	if cut {
		name += ":…"
	}
	return clip(name)
}

// targetRef is what may stand in {{…}}.
var targetRef = regexp.MustCompile(`^target((?:\.[A-Za-z0-9_-]+)*)$`)

// targetOf reads the inside of {{…}}.
func targetOf(s string) (p part, rest string, err error) {
	if before, after, ok := strings.Cut(s, "}}"); ok {
		inside := strings.TrimSpace(before)
		if m := targetRef.FindStringSubmatch(inside); m != nil {
			return part{targetPart, strings.TrimPrefix(m[1], ".")}, after, nil
		}
		if inside == `"{{"` || inside == `'{{'` {
			return part{literalPart, "{{"}, after, nil
		}
		return p, "", fmt.Errorf(`holds {{%s}}, want {{target}} or {{target.FIELD}}, or {{"{{"}} for the text {{`, clip(before))
	}
	return p, "", fmt.Errorf(`holds {{ without its }}, want {{target}} or {{target.FIELD}}, or {{"{{"}} for the text {{`)
}

// field is how a field of a target is written.
func fieldRef(name string) string {
	if name == "" {
		return "{{target}}"
	}
	return "{{target." + name + "}}"
}
