package conn

import (
	"testing"
	"testing/synctest"
	"time"
)

// lose has the process lose a piece of time.
func (w *watch) lose(piece time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = w.lost.and(piece)
}

func TestStall(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, row := range []struct {
		name   string
		n      int
		piece  time.Duration
		sum    time.Duration
		around time.Duration // the stall that does as much harm
	}{
		{"none", 0, 0, 0, 0},
		{"one", 1, 800 * ms, 800 * ms, 800 * ms},
		{"four", 4, 200 * ms, 800 * ms, 400 * ms},
		{"many", 80, 10 * ms, 800 * ms, 89 * ms},
		{"early", 3, -ms, 0, 0},
	} {
		var l lateness
		for range row.n {
			l = l.and(row.piece)
		}
		if got := l.stall().Truncate(ms); l.sum != row.sum || got != row.around {
			t.Errorf("%s: got %v in all and a stall of %v, want %v and %v", row.name, l.sum, got, row.sum, row.around)
		}
	}
}

// TestNobodyWaitsForTheNote has the watch note something, which takes a file's time: when it begins to beat and later,
// and with its lock free, which every attempt takes.
func TestNobodyWaitsForTheNote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun, later int
		w := watch{epoch: time.Now()}
		w.note = func(_ time.Time, anew bool) {
			if !w.mu.TryLock() {
				t.Errorf("the watch is locked while it notes something, anew %v", anew)
				return
			}
			defer w.mu.Unlock()
			if anew {
				begun++
			} else {
				later++
			}
		}
		for range 2 {
			w.join(time.Since(w.epoch))
			w.join(time.Since(w.epoch))
			w.leave()
			w.leave()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if begun != 2 || later < 2 {
			t.Errorf("noted %d times anew and %d times later, want 2 and at least 2", begun, later)
		}
	})
}

// TestWithinAStall takes the lateness in the midst of a long piece: what comes after is not blamed on it.
func TestWithinAStall(t *testing.T) {
	t.Parallel()
	var old lateness
	before, after := old.and(1500*time.Millisecond), old.and(1510*time.Millisecond)
	if got := after.since(before); got.sum != 10*time.Millisecond || got.stall() > 10*time.Millisecond+time.Microsecond {
		t.Errorf("got %v and a stall of %v, want 10ms each", got.sum, got.stall())
	}
}
