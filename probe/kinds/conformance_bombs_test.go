package kinds_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"sync"

	"sonde/probe"
	"sonde/probe/kinds"
)

// unpacked is how large the bombs would be if somebody unpacked them.
const unpacked = 32 << 20

// bomb is small, and unpacks to a body that has the text that is looked for.
var bomb = sync.OnceValue(func() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte("hello"))
	zeros := make([]byte, 1<<20)
	for range unpacked / len(zeros) {
		w.Write(zeros)
	}
	w.Close()
	return b.String()
})

// bombRows are bodies that their senders call compressed. None is ever unpacked: what is matched and shown is what
// came, and who reads the error is told so.
func bombRows() (rows []row) {
	for _, encoding := range []string{"gzip", "x-gzip", "br", "zstd", "deflate", "gzip, gzip"} {
		header := "Content-Encoding: " + encoding
		rows = append(rows,
			row{id: "a bomb of " + encoding, version: "1.1 h2c", server: []turn{answer(200, bomb(), header)},
				tries: "ok", requests: 1, end: "up success", counts: "a1", check: notUnpacked},
			row{id: "a bomb of " + encoding + ", matched", version: "1.1 h2c", server: []turn{answer(200, bomb(), header)}, with: changes(matched),
				tries: "assertion@transfer:W", requests: 1, end: "down assertion permanent", counts: "a1 f1", check: toldOf(encoding)},
			row{id: "a bomb of " + encoding + ", matched as it came", server: []turn{answer(200, bomb(), header)}, with: changes(matching("(?s)^..\\x08")),
				tries: "ok", requests: 1, end: "up success", counts: "a1", check: notUnpacked},
			row{id: "a bomb of " + encoding + " that fails", version: "1.1 h2c", server: []turn{answer(404, bomb(), header)},
				tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"})
	}
	return append(rows, row{id: "an encoding that is none", server: []turn{answer(200, "other", "Content-Encoding: identity")}, with: changes(matched),
		tries: "assertion@transfer:W", requests: 1, end: "down assertion permanent", counts: "a1 f1", check: errorIs(`body does not contain "hello"`)})
}

func matching(pattern string) change {
	return func(s *setup) { s.http.Expect.Body.Matches = kinds.Regexps{kinds.Regexp(pattern)} }
}

// notUnpacked checks that what was read is what was sent.
func notUnpacked(l *lab, r *probe.Result) {
	if n := r.Last().HTTP.BodyBytes; n != int64(len(bomb())) {
		l.t.Errorf("the body has %d bytes, want the %d that were sent", n, len(bomb()))
	}
}

// toldOf checks that the error says that the body is compressed, and how.
func toldOf(encoding string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		notUnpacked(l, r)
		errorIs(fmt.Sprintf(`body does not contain "hello"; it is compressed (Content-Encoding %q), and is matched as it came`, encoding))(l, r)
		if head := r.Last().HTTP.BodyHead; strings.Contains(head, "hello") {
			l.t.Errorf("the body's head is unpacked: %q", head)
		}
	}
}

// errorIs checks the last attempt's error.
func errorIs(want string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if got := r.Last().Err.Error(); got != want {
			l.t.Errorf("the error is %q, want %q", got, want)
		}
	}
}
