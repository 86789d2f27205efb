package memnet

import (
	"bytes"
	"io"
)

// noise is what Go's HTTP/2 client writes to the standard logger when a peer misbehaves. The failure
// itself has a reason; the line would only stain standard error.
var noise = [][]byte{
	[]byte("protocol error: received "),
	[]byte("Transport: unhandled response frame type"),
	[]byte("http2: Transport "),
}

// Quiet is a writer for log.SetOutput that drops the lines that Go's HTTP/2 client writes to the standard
// logger, and passes all others on. The logger is the whole program's, so the program decides: one that
// does nothing about it lets a hostile peer write to standard error. Sonde has its own logger take such
// lines, at debug; Quiet is for tests, which have none.
func Quiet(w io.Writer) io.Writer { return quiet{w} }

type quiet struct{ w io.Writer }

// Write gets one line at a time from a log.Logger.
func (q quiet) Write(p []byte) (int, error) {
	for _, n := range noise {
		if bytes.Contains(p, n) {
			return len(p), nil
		}
	}
	return q.w.Write(p)
}
