package schema

import (
	"hash/maphash"
	"strings"
)

// masking is what stands for what is not shown.
const masking = "<secret>"

// markSeed is drawn anew in each process, so that a mark says nothing of what it was made of.
var markSeed = maphash.MakeSeed()

// mark is the Mark of a scalar that is shown as text.
func mark(text string, at place) uint64 {
	if !strings.Contains(text, masking) {
		return 0
	}
	return max(1, maphash.String(markSeed, at.node.Value))
}
