package schema

import "sonde/probe"

// Checked is all that can be said of a set of files.
type Checked struct {
	// Set is what the files declare; nil when there are problems.
	Set *Set
	// Problems and Warnings are sorted by file, line and column. Beside problems, the warnings are those
	// of the probes that have none.
	Problems Problems
	Warnings []Problem
	// Reach is what was read, whatever is wrong with it.
	Reach
}

// Check reads files as Load does, and keeps what Load has no use for: the warnings of files that do not
// load. The error says which path could not be read. Whoever calls it closes the set's probers.
func (w World) Check(paths []string, kinds []probe.Kind) (*Checked, error) {
	l := newLoader(w, kinds)
	if err := l.read(paths); err != nil {
		return nil, err
	}
	return l.checked(), nil
}

func (l *loader) checked() *Checked {
	c := &Checked{Reach: l.set.Reach}
	c.Set, _ = l.finish() // its error is the problems
	c.Problems, c.Warnings = l.problems.sorted()
	return c
}

// read reads the files that paths name into the set.
func (l *loader) read(paths []string) error {
	files, err := expand(paths)
	if err != nil {
		return err
	}
	for _, name := range files {
		if l.docs[identity(name)] != nil {
			continue // another file includes it
		}
		data, err := read(name)
		if err != nil {
			l.sought(name, nil)
			l.drop()
			return err
		}
		l.file(&document{name: name}, data)
	}
	return nil
}
