package metrics

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"sync"

	"sonde/probe/accept"
)

// outlet sends an answer, compressed or as it is.
type outlet struct {
	to     io.Writer
	zip    *gzip.Writer // nil when the answer is not compressed
	packed bytes.Buffer // what zip has written and is not sent
}

// zippers compress at the first level: Prometheus reads an answer once, and what another level saves of
// its bytes costs the prober more time than the rendering.
var zippers = sync.Pool{New: func() any {
	zip, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is such a level
	}
	return zip
}}

func newOutlet(to io.Writer, zipped bool) *outlet {
	o := &outlet{to: to}
	if zipped {
		o.zip = zippers.Get().(*gzip.Writer)
		o.zip.Reset(&o.packed)
	}
	return o
}

// pack compresses, and ends what is compressed at the last call; the bytes may be used until the next.
func (o *outlet) pack(text []byte, last bool) []byte {
	if o.zip == nil {
		return text
	}
	o.packed.Reset()
	o.zip.Write(text) // to memory, which takes all
	if last {
		o.zip.Close()
	}
	return o.packed.Bytes()
}

// send sends what was packed.
func (o *outlet) send(packed []byte) error {
	if len(packed) == 0 {
		return nil
	}
	_, err := o.to.Write(packed)
	return err
}

// release gives back what others may use.
func (o *outlet) release() {
	if o.zip != nil {
		o.zip.Reset(io.Discard)
		zippers.Put(o.zip)
	}
}

// takesGzip reports whether a request accepts gzip, and not the plain answer rather than that.
func takesGzip(header http.Header) bool {
	gzip, identity := -1.0, 0.0
	for name, quality := range accept.Elements(header.Values("Accept-Encoding")) {
		switch name {
		case "gzip", "x-gzip":
			gzip = quality
		case "identity":
			identity = quality
		case "*":
			if gzip < 0 {
				gzip = quality
			}
		}
	}
	return gzip > 0 && gzip >= identity
}
