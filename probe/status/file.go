package status

import (
	"sync"
	"time"
)

// file is how loading the definition file went: when the one in use was loaded, and since when a newer
// one is refused. A zero time is never.
type file struct {
	mu              sync.Mutex
	loaded, refused time.Time
}

// Reloaded tells whether a load of the definition file succeeded, the first included, and when. While
// the last one did not, the page says so at its top, but not why: the problems may be many and long.
func (b *Board) Reloaded(ok bool, at time.Time) {
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	switch {
	case ok:
		b.file.loaded, b.file.refused = at, time.Time{}
	case b.file.refused.IsZero():
		b.file.refused = at
	}
}

// notice is a sentence on the file while a reload stands refused, else empty.
func (f *file) notice() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused.IsZero() {
		return ""
	}
	goesOn := "what ran before"
	if !f.loaded.IsZero() {
		goesOn = "the file of " + clockOf(f.loaded)
	}
	return "Every reload since " + clockOf(f.refused) + " was refused, and " + goesOn +
		" goes on: the problems stand in the log, and in the answer to a POST to /-/reload."
}
