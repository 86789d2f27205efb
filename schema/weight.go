package schema

import "fmt"

// maxMarks bounds the marks of a text after which a value may begin. The parser makes a tree of the whole
// text before anyone can look at it, and needs up to a hundred bytes of memory for a byte of text.
const maxMarks = 1_500_000

// tooHeavy reports a text of which the parser would make more values than any file of probes has.
func (d *document) tooHeavy(data []byte) bool {
	marks := 0
	for i, c := range data {
		switch c {
		case '[', '{', ',':
			marks++
		case ':', '-', '?':
			if i+1 == len(data) || data[i+1] <= ' ' {
				marks++
			}
		}
	}
	if marks <= maxMarks {
		return false
	}
	d.textual(1, 1, RuleTooLarge, fmt.Sprintf("the file holds more than %d values, want fewer; split it into several files", maxMarks))
	return true
}
