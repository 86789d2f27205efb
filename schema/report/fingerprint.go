package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"sonde/schema"
)

// fingerprints names findings so that they are known again when other lines come or go before them, and
// when the line at fault is indented anew: by the rule and the text of the line, and a number that tells
// those apart that have both in common. Within a file each is unique.
type fingerprints struct {
	source func(name string) ([]byte, error)
	lines  map[string][][]byte // of each file that was read
	times  map[string]int      // how often a hash came up in its file
}

func (r Report) fingerprints() *fingerprints {
	f := &fingerprints{source: r.Source, lines: map[string][][]byte{}, times: map[string]int{}}
	if f.source == nil {
		f.source = readAgain
	}
	return f
}

// maxSource bounds what is read again of a file; schema refuses larger ones.
const maxSource = 32 << 20

// readAgain reads a file. A pipe cannot be read twice, and asking might wait for ever.
func readAgain(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxSource))
}

// next is the fingerprint of the next finding. Findings must come in the order of their places.
func (f *fingerprints) next(p schema.Problem) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", p.Rule, f.line(p)))
	hash := hex.EncodeToString(sum[:8])
	f.times[p.File+"\x00"+hash]++
	return fmt.Sprintf("%s:%d", hash, f.times[p.File+"\x00"+hash])
}

// line is the text of a finding's line without the white space around it; nil when there is none.
func (f *fingerprints) line(p schema.Problem) []byte {
	lines, known := f.lines[p.File]
	if !known {
		if data, err := f.source(p.File); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		f.lines[p.File] = lines
	}
	if p.Line < 1 || p.Line > len(lines) {
		return nil
	}
	return bytes.TrimSpace(lines[p.Line-1])
}
