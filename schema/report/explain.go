package report

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"sonde/schema"
)

// Explanation is all there is to say of a rule.
type Explanation struct {
	// Rule is its name.
	Rule string
	// Warning is true when a file that breaks the rule works all the same.
	Warning bool
	// Summary is the sentence of the reference.
	Summary string
	// Meaning says what it means, and why it is a rule. It is Markdown of plain paragraphs.
	Meaning string
	// Mistake is a file that breaks the rule, Mend the same file when it does not.
	Mistake, Mend string
}

// pages has a page for each rule: a heading, what it means, a mistake and its mend.
//
//go:embed rules/*.md
var pages embed.FS

// Explanations are those of all rules, in the order of the reference. The list is the caller's.
func Explanations() []Explanation { return slices.Clone(explanations()) }

var explanations = sync.OnceValue(func() []Explanation {
	var list []Explanation
	for _, r := range schema.Rules() {
		page, _ := pages.ReadFile("rules/" + r.Name + ".md") // a test holds that there is one
		e := Explanation{Rule: r.Name, Warning: r.Warning, Summary: r.Help}
		e.read(string(page))
		list = append(list, e)
	}
	return list
})

// read takes a page apart.
func (e *Explanation) read(page string) {
	_, rest, _ := strings.Cut(page, "\n\n")
	meaning, rest, _ := strings.Cut(rest, "\n## Mistake\n")
	mistake, mend, _ := strings.Cut(rest, "\n## Mend\n")
	e.Meaning, e.Mistake, e.Mend = strings.TrimSpace(meaning), block(mistake), block(mend)
}

// block is the text within a fence.
func block(section string) string {
	_, rest, _ := strings.Cut(section, "```yaml\n")
	text, _, _ := strings.Cut(rest, "\n```")
	return text + "\n"
}

// word is the severity for people, who read of problems everywhere.
func (e Explanation) word() string {
	if e.Warning {
		return "warning"
	}
	return "problem"
}

func (e Explanation) severity() string { return severity(schema.Problem{Warning: e.Warning}) }

// text is the explanation for people who read plain text.
func (e Explanation) text() string {
	return fmt.Sprintf("%s\n\n%s\n\nMistake:\n\n%s\nMend:\n\n%s", e.Summary, e.Meaning, indented(e.Mistake), indented(e.Mend))
}

// markdown is the explanation for pages.
func (e Explanation) markdown() string {
	return fmt.Sprintf("%s\n\n%s\n\n**Mistake**\n\n```yaml\n%s```\n\n**Mend**\n\n```yaml\n%s```\n", e.Summary, e.Meaning, e.Mistake, e.Mend)
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

// UnknownRule says that no rule has the name.
type UnknownRule struct {
	Name string
	// Near are rules that may have been meant, at most a few.
	Near []string
}

// Error names what was asked for.
func (e *UnknownRule) Error() string { return fmt.Sprintf("there is no rule %q", clean(e.Name)) }

// Hint says what to ask for.
func (e *UnknownRule) Hint() string {
	list := "sonde check --explain all lists the rules"
	if len(e.Near) == 0 {
		return list
	}
	return fmt.Sprintf("did you mean %s? %s", strings.Join(e.Near, " or "), list)
}

// Explain writes what there is to say of a rule, or the list of all for the name all. The error is an
// UnknownRule, or the writer's.
func Explain(w io.Writer, name string) error {
	if name == "all" {
		return explainAll(w)
	}
	for _, e := range explanations() {
		if e.Rule == name {
			_, err := fmt.Fprintf(w, "%s (%s)\n\n%s", e.Rule, e.word(), e.text())
			return err
		}
	}
	return &UnknownRule{Name: name, Near: near(name)}
}

// explainAll writes a line for each rule.
func explainAll(w io.Writer) error {
	var b strings.Builder
	for _, e := range explanations() {
		fmt.Fprintf(&b, "%-20s %-8s %s\n", e.Rule, e.word(), e.Summary)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxNear is how many rules a hint names.
const maxNear = 3

// near are the rules that somebody who wrote name may have meant: the one of nearest spelling, then
// those with a word in common.
func near(name string) []string {
	var names, found []string
	for _, e := range explanations() {
		names = append(names, e.Rule)
	}
	if one := schema.Nearest(name, names); one != "" {
		found = append(found, one)
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, rule := range names {
		if len(found) < maxNear && !slices.Contains(found, rule) && shareWord(words, strings.Split(rule, "-")) {
			found = append(found, rule)
		}
	}
	return found
}

// shareWord is true when a word is among the others, or begins or is begun by one of them.
func shareWord(words, others []string) bool {
	for _, w := range words {
		for _, o := range others {
			if len(w) > 2 && len(o) > 2 && (strings.HasPrefix(o, w) || strings.HasPrefix(w, o)) {
				return true
			}
		}
	}
	return false
}
