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
		sum := d.contentOf(d.resolve(name))
		sums = append(sums, sum[:]...)
	}
	return sums
}

// contentOf is the sum of a file that blocks name, which is read once for the whole set. Of one that cannot
// be read it is zero, and the kind says why.
func (l *loader) contentOf(name string) [sha256.Size]byte {
	l.outside++
	if sum, ok := l.contentSums[name]; ok {
		return sum
	}
	data, err := l.world.read(name, maxSize)
	if err != nil {
		data = nil
	}
	sum := l.sought(name, data)
	l.contentSums[name] = sum
	return sum
}
