package schema

import (
	"regexp"
	"slices"
	"strings"

	"sonde/probe"
)

// checkRest reports, of a block some of whose values could not be read, what the kind says of the others.
// What it says of one that was not read, or of others by reason of it, is left out, and so are warnings:
// in place of such a value the kind sees its default.
func (d *definition) checkRest() {
	if !d.walk.isRead(under(d.sources(), d.kind)) {
		return
	}
	index, unread := d.blockIndex(), d.walk.unread()
	d.faults(slices.DeleteFunc(d.settings.Check(d.env()), func(f probe.Fault) bool {
		return f.Warning || d.walk.isBadAround(index.find(f.Place).path) || unread != nil && unread.MatchString(f.Text)
	}))
}

// isRead is true when each of a kind's blocks is one.
func (w *walker) isRead(blocks []source) bool {
	return !slices.ContainsFunc(blocks, func(s source) bool { return !s.isMap() || w.isBad(s.path) })
}

// isBadAround is true of a path at, above or below which something is not what its author meant.
func (w *walker) isBadAround(p *path) bool {
	at := p.String()
	for bad := range w.bad {
		if bad == at || isBelow(bad, at) || isBelow(at, bad) {
			return true
		}
	}
	return false
}

// isBelow is true of a path that goes on from another.
func isBelow(p, above string) bool {
	rest, ok := strings.CutPrefix(p, above)
	return ok && rest != "" && strings.ContainsRune(".[", rune(rest[0]))
}

// lastKey is the last key of a path as it is written; what stands behind it is an element's number.
var lastKey = regexp.MustCompile(`(?:\["(.+)"\]|([^.\[\]]+))(?:\[[0-9]+\])*$`)

// unread matches texts in which a key stands whose value is not what its author meant; nil is none.
func (w *walker) unread() *regexp.Regexp {
	var keys []string
	for bad := range w.bad {
		if m := lastKey.FindStringSubmatch(bad); m != nil {
			keys = append(keys, regexp.QuoteMeta(m[1]+m[2]))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?:^|\W)(?:` + strings.Join(keys, "|") + `)(?:\W|$)`)
}
