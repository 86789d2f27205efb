package schema

import (
	"crypto/sha256"
	"errors"
	"hash/fnv"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"sonde/probe"
)

// This file reads files on a machine that does not have their secrets, as where a change is reviewed.

// addPlaceholder adds what stands for ${name}, which is not there: a number that is the same wherever
// name stands, so that it will do as a host, a port, a count and a text. Where the field's example is a
// URL, or host:port, and name stands for all of it or for its beginning, the placeholder is one, too, that ends as the
// example does.
func (w *walker) addPlaceholder(at place, name string, x *written) {
	h := fnv.New32a()
	h.Write([]byte(name))
	number := strconv.FormatUint(uint64(10_000+h.Sum32()%50_000), 10) // a port that is legal
	text, _, _ := strings.Cut(at.node.Value, "}")
	rest := strings.TrimPrefix(at.node.Value, text+"}")
	begins := strings.HasPrefix(at.node.Value, "${") && x.text == ""
	before, after := "", ""
	if scheme := scheme.FindString(w.example); begins && scheme != "" && !strings.HasPrefix(rest, "://") {
		before = scheme
		switch host := strings.TrimPrefix(w.example, scheme); {
		case rest != "":
		case strings.Contains(host, "/"):
			after = "/" // else nobody could tell this URL from one that goes on with the slash that is added
		case strings.Contains(host, ":"):
			after = ":" + number // likewise, from one that goes on with the port of its scheme
		}
	} else if begins && rest == "" && strings.Contains(w.example, ":") {
		after = ":" + number
	}
	w.fill.secrets.Add(number)
	origin := originOf(at.doc, name, before+number+after)
	origin.Absent = true
	w.fill.origins = append(w.fill.origins, origin)
	x.add(bit{text: before + number + after, ref: "${" + clip(name) + "}", secret: true}, probe.SecretText)
	x.secret, x.absent = true, true
}

// decodeElement is decode of what stands in a list, a mapping or behind a pointer. A gap is a scalar there
// whose placeholder is no value of the type: it is left out.
func (w *walker) decodeElement(at place, v reflect.Value) (ok, gap bool) {
	before := w.gap
	w.gap = false
	ok = w.decode(at, v)
	gap = w.gap && at.isScalar()
	w.gap = before
	return ok, gap
}

// standIn remembers that a placeholder stands at a path.
func (w *walker) standIn(p *path) {
	if w.standIns == nil {
		w.standIns = map[string]bool{}
	}
	w.standIns[p.String()] = true
}

// standsIn is true of a path at or above which a placeholder stands: what is there is not judged.
func (w *walker) standsIn(p *path) bool {
	for ; p != nil && len(w.standIns) > 0; p = p.parent {
		if w.standIns[p.String()] {
			return true
		}
	}
	return false
}

// excused is true of a reason for which there is no prober, and which is that something is not there that
// need not be.
func (d *definition) excused(err error) bool {
	var f *probe.Fault
	if !d.world.Absent || !errors.As(err, &f) {
		return false
	}
	at := d.blockIndex().find(f.Place)
	if d.walk.standsIn(at.path) {
		return true
	}
	if !strings.HasSuffix(f.Place, "_file") || !d.lacksFile() {
		return false
	}
	d.adviseAuthority(at.place, f)
	return true
}

// adviseAuthority warns of a file of authorities that is not there. It is no secret: where its path starts at
// the file of probes, it is kept beside that, or misspelt. An absolute one is of another machine.
func (d *definition) adviseAuthority(at place, f *probe.Fault) {
	if at.path.last() == "ca_file" && at.isScalar() && !filepath.IsAbs(at.node.Value) {
		d.problems.warn(at, false, RuleSettings, f.Text+"; certificates of authorities are no secret, and can stand beside this file")
	}
}

// lacksFile is true when a file that the block names cannot be read.
func (d *definition) lacksFile() bool {
	block, ok := d.settings.(probe.Filer)
	if !ok {
		return false
	}
	for _, name := range block.Files() {
		if d.contentOf(d.resolve(name)) == [sha256.Size]byte{} {
			return true
		}
	}
	return false
}
