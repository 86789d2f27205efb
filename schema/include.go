package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// texts are one text or several.
type texts []string

// OneOrMany marks it.
func (texts) OneOrMany() {}

// each are the places of one text or several.
func each(at place) []place {
	if !at.isList() {
		return []place{at}
	}
	list := make([]place, len(at.node.Content))
	for i := range list {
		list[i] = at.element(i)
	}
	return list
}

// includes reads the files that the key include names. What they declare belongs to the set, and their
// profiles to this file, too.
func (d *document) includes(at place) {
	d.eachFile(at, func(at place, pattern, name string) {
		other := d.docs[identity(name)]
		switch {
		case other == d && isPattern(pattern):
			return // a pattern may match the file that it stands in
		case other != nil && other.open:
			d.walk.problem(at, RuleCycle, "leads to "+strconv.Quote(name)+", which leads back to this file; want files that include each other in one direction")
			return
		case other == nil:
			data, ok := d.reach(at, name)
			if !ok {
				d.blind = true
				return
			}
			other = &document{name: name, from: "included at " + at.pos().from(name)}
			d.file(other, data)
		}
		d.inherit(at, other)
	})
}

// eachFile calls found for each file that a value of one path or several leads to.
func (d *document) eachFile(at place, found func(at place, pattern, name string)) {
	d.outside++
	var patterns texts
	if !d.walk.decode(at, reflect.ValueOf(&patterns).Elem()) {
		d.blind = true
		return
	}
	for i, at := range each(at) {
		for _, name := range d.matches(at, patterns[i]) {
			found(at, patterns[i], name)
		}
	}
}

// isPattern is true of a path that may match several files.
func isPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// matches are the files that a path of the file leads to: one, or those that match the pattern.
func (d *document) matches(at place, path string) []string {
	full := d.resolve(path)
	if !isPattern(path) {
		return []string{full}
	}
	files, err := d.world.glob(full)
	if err != nil {
		d.walk.problem(at, RuleValue, "is "+what(at)+", want a path, or a pattern such as probes/*.yaml")
		return nil
	}
	d.set.Patterns = appendNew(d.set.Patterns, full)
	if len(files) == 0 {
		d.problems.warn(at, false, RuleNoMatch, "is "+what(at)+", which matches no file")
	}
	return files
}

// resolve is a path of the file, which starts at its folder.
func (d *document) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.dir, path)
}

// reach reads a file that another one leads to.
func (d *document) reach(at place, name string) ([]byte, bool) {
	data, err := d.world.read(name, maxSize+1)
	if err != nil {
		d.sought(name, nil)
		return nil, d.walk.problem(at, RuleUnreadable, "leads to "+strconv.Quote(name)+", which cannot be read: "+cause(err))
	}
	return data, true
}

// sought notes a file that was read, or, with no content, that could not be: who watches files wants to
// know when it changes.
func (l *loader) sought(name string, data []byte) (sum [sha256.Size]byte) {
	if data != nil {
		sum = sha256.Sum256(data)
	}
	l.saw(name, sum)
	return sum
}

// saw is sought of a file whose sum is known, zero where it could not be read.
func (l *loader) saw(name string, sum [sha256.Size]byte) {
	if !l.known[name] {
		l.known[name] = true
		l.set.Files = append(l.set.Files, name)
	}
	if sum != [sha256.Size]byte{} {
		l.set.Sums[name] = sum
	}
}

// cause is why a file cannot be read, without its name.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// inherit makes the profiles of a file that is included known in this one.
func (d *document) inherit(at place, other *document) {
	d.blind = d.blind || other.blind
	for _, p := range other.profiles.list {
		if first := d.profiles.get(p.name); first != nil && first != p {
			d.walk.problem(at, RuleName, fmt.Sprintf("brings the profile %s of %s, but one of that name is declared at %s; want a name of its own", p.name, p.declared, first.declared))
			continue
		}
		d.profiles.add(p)
	}
}

// appendNew appends what is not in the list yet.
func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
