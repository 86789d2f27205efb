package schema

import (
	"crypto/sha256"

	"sonde/probe"
)

// contents are the sums of the files that the kind's block names, which are watched from now on. The kind
// reads them after this: what changes in between is seen as a change, and is not lost.
func (d *definition) contents() []byte {
	block, ok := d.settings.(probe.Filer)
	if !ok {
		return nil
	}
	var sums []byte
	for _, name := range block.Files() {
		name = d.resolve(name)
		sum := d.contentOf(name)
		sums = append(sums, sum[:]...)
		d.named = append(d.named, namedFile{name, sum})
	}
	return sums
}

// namedFile is a file that a block names, and the sum of what it held.
type namedFile struct {
	name string
	sum  [sha256.Size]byte
}

// hold is true when files hold what they held.
func (l *loader) hold(files []namedFile) bool {
	for _, f := range files {
		if l.sumOf(f.name) != f.sum {
			return false
		}
	}
	return true
}

// contentOf is the sum of a file that blocks name, which is watched from now on. Of one that cannot be read it is
// zero, and the kind says why.
func (l *loader) contentOf(name string) [sha256.Size]byte {
	sum := l.sumOf(name)
	l.saw(name, sum)
	return sum
}

// sumOf is contentOf without the watching. A file is read once for the whole set.
func (l *loader) sumOf(name string) (sum [sha256.Size]byte) {
	if sum, ok := l.contentSums[name]; ok {
		return sum
	}
	if data, err := l.world.read(name, maxSize); err == nil {
		sum = sha256.Sum256(data)
	}
	l.contentSums[name] = sum
	return sum
}
