package conn

import (
	"math"
	"runtime"
	"sync"
	"time"
)

// How often the watch beats, and what of a beat's lateness is a timer's usual imprecision.
const (
	beat  = 10 * time.Millisecond
	slack = 2 * time.Millisecond
)

// watch measures by how much this process runs late: a timer whose beats come when they can. It beats
// while calls are in progress. Limits run on the time that is left when its lateness is taken away, so
// that a starved process does not spend a target's time.
type watch struct {
	epoch time.Time
	// note is called now and then while it beats, with nothing locked; anew when it begins to.
	note func(now time.Time, anew bool)

	mu      sync.Mutex
	timer   *time.Timer
	beating bool
	stopped bool          // for good
	due     time.Duration // when the next beat is due, after epoch
	calls   int
	begun   uint64 // calls ever begun
	seen    uint64 // begun at the last beat
	lost    lateness
}

// join says that a call begins, at the instant now after epoch, and returns by how much the process has been late
// until then.
func (w *watch) join(now time.Duration) lateness {
	late, anew := w.joined(now)
	if anew {
		w.note(time.Now(), true) // it may read a file, for which no other call should wait
	}
	return late
}

// joined is join but for the note; anew is true when the watch begins to beat.
func (w *watch) joined(now time.Duration) (late lateness, anew bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	w.begun++
	if anew = !w.beating && !w.stopped; anew {
		w.beating = true
		w.next()
	}
	return w.lateness(now), anew
}

// leave says that a call has ended.
func (w *watch) leave() {
	w.mu.Lock()
	w.calls--
	w.mu.Unlock()
}

// next plans a beat. The lock is held.
func (w *watch) next() {
	w.due = time.Since(w.epoch) + beat
	if w.timer == nil {
		w.timer = time.AfterFunc(beat, w.tick)
		return
	}
	w.timer.Reset(beat)
}

// tick is a beat. It goes to the end of the run queue first, so that waiting there counts. A panic here ends the
// process: without beats no limit of any attempt could be trusted.
func (w *watch) tick() {
	runtime.Gosched()
	w.note(time.Now(), false)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = w.lateness(time.Since(w.epoch))
	idle := w.calls == 0 && w.begun == w.seen
	w.seen = w.begun
	w.beating = !idle && !w.stopped
	if w.beating {
		w.next()
	}
}

// lateness is by how much the process has been late in all, up to the instant now. The lock is held.
func (w *watch) lateness(now time.Duration) lateness {
	if !w.beating {
		return w.lost
	}
	return w.lost.and(now - w.due - slack)
}

// late is by how much the process has been late in all, up to the instant now after epoch, which has just been
// read.
func (w *watch) late(now time.Duration) lateness {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lateness(now)
}

// stop ends the beating for good.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// lateness is how long the process was kept from running, in one piece or in many.
type lateness struct {
	sum     time.Duration
	squares float64 // of the pieces, in seconds
}

// and is the lateness with another piece; one that is not above 0 is none.
func (l lateness) and(piece time.Duration) lateness {
	if piece <= 0 {
		return l
	}
	s := piece.Seconds()
	return lateness{l.sum + piece, l.squares + s*s}
}

// since is what of the lateness came after an earlier one. A piece in whose midst the earlier was taken
// counts as if it were whole, but never for more than all that has come since.
func (l lateness) since(before lateness) lateness {
	sum := l.sum - before.sum
	s := sum.Seconds()
	return lateness{sum, min(l.squares-before.squares, s*s)}
}

// stall is how long one piece is that would have done as much harm: the root of the sum of the squares.
// Whoever comes at any time into a piece waits for half of it on average, so that a long one may swallow
// an attempt whole, while many short ones, however much they are together, only slow it down.
func (l lateness) stall() time.Duration {
	return time.Duration(math.Sqrt(l.squares) * float64(time.Second))
}
