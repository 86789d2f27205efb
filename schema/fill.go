package schema

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sonde/probe"
)

// filling is what may be filled into the values that are being read.
type filling struct {
	// loose lets pass what is to be filled in: it is judged where it is used.
	loose bool
	// public says that what is read is shown, so that nothing secret may be filled in.
	public  bool
	target  *target         // nil without targets
	named   map[string]bool // the fields of the target that were named
	secrets probe.Secrets   // what was filled in
	origins []probe.Filled  // the same, and where it came from
}

// filling makes f hold until the returned function is called.
func (w *walker) filling(f *filling) (undo func()) {
	before := w.fill
	w.fill = f
	return func() { w.fill = before }
}

// written is a scalar's text as its author means it.
type written struct {
	text  string
	shown string // the same, with <secret> for what was filled in
	// filled is true when text is not what stands in the file, secret when part of it is not to be shown,
	// and absent when a placeholder is part of it.
	filled, secret, absent bool
	bits                   []bit // what text is made of, where something was filled in
}

// bit is a piece of a text: literal, or what stands for ref.
type bit struct {
	text string
	ref  string // ${NAME} or {{target.x}}, fit to be shown; empty of what is literal
	// secret is true of what ${…} stands for.
	secret bool
	bits   []bit // of a target's field into which something was filled, what it is made of
}

func (x *written) add(b bit, shown string) {
	x.text += b.text
	x.shown += shown
	x.bits = append(x.bits, b)
}

// later is true of a value that is judged only where it is used. What is wrong with its form is said.
func (w *walker) later(at place) bool {
	if !w.fill.loose || !at.isScalar() || at.doc.verbatim || !isTemplate(at.node.Value) {
		return false
	}
	list, err := parts(at.node.Value)
	return err == nil && slices.ContainsFunc(list, func(p part) bool { return p.kind != literalPart })
}

// text is a scalar's text with all filled in.
func (w *walker) text(at place) (written, bool) {
	s := at.node.Value
	if at.doc.verbatim || !isTemplate(s) {
		return written{text: s, shown: s}, true
	}
	list, err := parts(s)
	if err != nil {
		return written{}, w.problem(at, RuleTemplate, err.Error())
	}
	var x written
	for _, p := range list {
		switch {
		case p.kind == literalPart:
			x.add(bit{text: p.text}, p.text)
			continue
		case p.kind == filledPart && !w.fillIn(at, p.text, &x), p.kind == targetPart && !w.name(at, p.text, &x):
			return written{}, false
		}
		x.filled = true
	}
	if x.absent {
		w.standIn(at.path)
	}
	return x, !w.inURL || w.asURL(at, &x)
}

const notPublic = ", but what stands here is shown on pages and in metrics; want such values within a kind block only"

// fillIn adds what ${…} stands for.
func (w *walker) fillIn(at place, ref string, x *written) bool {
	if w.fill.public {
		return w.problem(at, RulePublic, "holds ${"+beforeDefault(ref)+"}"+notPublic)
	}
	name, fallback, hasFallback := strings.Cut(ref, ":-")
	value, wrong := w.fetch(at.doc, name)
	if wrong != "" || hasFallback && value == "" {
		if !hasFallback && w.absent {
			w.addPlaceholder(at, name, x)
			return true
		}
		if !hasFallback {
			return w.problem(at, RuleFill, "holds ${"+clip(name)+"}, "+wrong)
		}
		x.add(bit{text: fallback, ref: "${" + clip(name) + "}"}, fallback) // it stands in the file for all to see
		return true
	}
	x.secret = true
	w.fill.secrets.Add(value)
	w.fill.origins = append(w.fill.origins, originOf(at.doc, name, value))
	x.add(bit{text: value, ref: "${" + clip(name) + "}", secret: true}, probe.SecretText)
	return true
}

// originOf is a value that ${name} stands for, and where it came from.
func originOf(d *document, name, value string) probe.Filled {
	switch kind, arg, isFile := strings.Cut(name, ":"); {
	case !isFile:
		return probe.Filled{Variable: name, Value: value}
	case kind == "cred":
		return probe.Filled{Credential: arg, Value: value}
	default:
		return probe.Filled{File: d.resolve(arg), Value: value}
	}
}

// name adds what {{…}} stands for.
func (w *walker) name(at place, ref string, x *written) bool {
	t := w.fill.target
	if t == nil {
		return w.problem(at, RuleTemplate, "holds "+fieldRef(ref)+", want it only in a probe that has targets, or in a profile that such a probe uses; {{\"{{\"}} is the text {{")
	}
	value, ok := t.fields[ref]
	switch {
	case !ok:
		return w.problem(at, RuleTemplate, "holds "+fieldRef(ref)+", but its target has no such field"+t.hint(ref))
	case value.secret && w.fill.public:
		return w.problem(at, RulePublic, "holds "+fieldRef(ref)+", which is filled in"+notPublic)
	}
	w.fill.named[ref] = true
	x.secret, x.absent = x.secret || value.secret, x.absent || value.absent
	x.add(bit{text: value.text, ref: fieldRef(ref), bits: value.bits}, value.shown)
	for _, s := range value.secrets {
		w.fill.secrets.Add(s)
	}
	w.fill.origins = append(w.fill.origins, value.origins...)
	return true
}

// maxFilled bounds, in bytes, a file that is filled in.
const maxFilled = 1 << 20

// fetch is what ${…} stands for, or why there is nothing. Files are read once for the whole set.
func (l *loader) fetch(d *document, name string) (value, wrong string) {
	l.outside++
	kind, arg, isFile := strings.Cut(name, ":")
	if !isFile {
		value, ok := l.world.env(name)
		switch {
		case ok && value == "":
			wrong = "but in the environment " + clip(name) + " is empty; set it, or write ${" + clip(name) + ":-} where it may be"
		case !ok:
			wrong = "but the environment has no " + clip(name) + "; set it, or give a default as in ${" + clip(name) + ":-text}"
		}
		return value, wrong
	}
	path := arg
	if kind == "cred" {
		dir, ok := l.world.env("CREDENTIALS_DIRECTORY")
		if !ok || dir == "" {
			return "", "but CREDENTIALS_DIRECTORY is not set; systemd sets it for a unit with LoadCredential"
		}
		path = filepath.Join(dir, arg)
	} else {
		path = d.resolve(path)
	}
	f, ok := l.filled[path]
	if !ok {
		f = l.readFilled(path)
		l.filled[path] = f
	}
	return f.value, f.wrong
}

// filledFile is a file whose content is filled in, or why it cannot be.
type filledFile struct{ value, wrong string }

func (l *loader) readFilled(path string) filledFile {
	data, err := l.world.read(path, maxFilled+1)
	l.sought(path, data)
	switch {
	case err != nil:
		return filledFile{wrong: fmt.Sprintf("but %s cannot be read: %s", strconv.Quote(path), cause(err))}
	case len(data) > maxFilled:
		return filledFile{wrong: fmt.Sprintf("but %s is over %d MiB, want less", strconv.Quote(path), maxFilled>>20)}
	case len(data) == 0:
		return filledFile{wrong: fmt.Sprintf("but %s is empty", strconv.Quote(path))}
	}
	value, ended := strings.CutSuffix(string(data), "\n")
	if ended {
		value = strings.TrimSuffix(value, "\r")
	}
	return filledFile{value: value}
}
