package status

import (
	"fmt"
	"sync"
	"time"
)

// file is how loading the definition file went: when the one in use was loaded, and since when a newer
// one is refused, and why. A zero time is never.
type file struct {
	mu              sync.Mutex
	loaded, refused time.Time
	problems        []string // the first of them, cleaned, and how many more there are
}

// mostProblems is how many problems of a refused file the page shows.
const mostProblems = 3

// Reloaded tells whether a load of the definition file succeeded, the first included, and when, and of one
// that did not what is wrong, a line each, without credentials. While the last one did not, the page says so
// at its top, with the first few problems, each cut to a line.
func (b *Board) Reloaded(ok bool, at time.Time, problems ...string) {
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	b.file.problems = nil
	for _, p := range problems[:min(mostProblems, len(problems))] {
		b.file.problems = append(b.file.problems, cleanText(p))
	}
	if more := len(problems) - mostProblems; more > 0 {
		b.file.problems = append(b.file.problems, fmt.Sprintf("and %d more", more))
	}
	switch {
	case ok:
		b.file.loaded, b.file.refused = at, time.Time{}
	case b.file.refused.IsZero():
		b.file.refused = at
	}
}

// notice is a sentence on the file while a reload stands refused, else empty, and what is wrong with it.
func (f *file) notice() (text string, problems []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused.IsZero() {
		return "", nil
	}
	goesOn := "what ran before"
	if !f.loaded.IsZero() {
		goesOn = "the file of " + clockOf(f.loaded)
	}
	return "Every reload since " + clockOf(f.refused) + " was refused, and " + goesOn +
		" goes on: all problems stand in sonde's log, and in the answer to curl -X POST …/-/reload.", f.problems
}
