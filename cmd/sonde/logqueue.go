package main

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// logQueue stands between the program and standard error, so that a log that nobody reads holds nothing
// up. What is written is queued, in its order, and one goroutine writes it out. A line of log never
// waits: what does not fit is dropped and counted, and how many lines were lost is told where they would
// have stood, once writing goes on. What the program itself says, by Write, waits for room, as with a
// pipe; but not for long once the program is in a hurry. All methods are safe for concurrent use.
type logQueue struct {
	out io.Writer
	// hurried ends when nobody may be waited for any more: by hurry, or when the program is to end.
	hurried context.Context
	hurry   context.CancelFunc
	wake    chan struct{} // of capacity 1: something is pending
	over    chan struct{} // closed by close
	dropped atomic.Uint64 // lines, ever

	mu      sync.Mutex
	pending []byte
	lost    int           // lines that did not fit, since the writer has taken what was pending
	busy    bool          // the writer has taken what it has not yet written
	closed  bool          // nothing is taken any more
	moved   chan struct{} // closed when the writer takes or has written; nil while nobody waits for that
	notice  func(lost int) []byte
}

const (
	// mostPending bounds the bytes that wait for standard error.
	mostPending = 1 << 20
	// mostKept is how large a buffer may be that is kept while little is logged.
	mostKept = 64 << 10
	// mostWritten is how much is written at a time, but for a longer line: what a pipe takes in one piece,
	// so that the lines of two processes do not mix.
	mostWritten = 4 << 10
	// flushTimeout is how long one waits in a hurry.
	flushTimeout = time.Second
)

// newLogQueue starts the writer; it is in a hurry when ctx has ended.
func newLogQueue(ctx context.Context, out io.Writer) *logQueue {
	q := &logQueue{out: out, wake: make(chan struct{}, 1), over: make(chan struct{}), notice: func(int) []byte { return nil }}
	q.hurried, q.hurry = context.WithCancel(ctx)
	go q.run()
	return q
}

// tellsLost says how it is told that so many lines were lost.
func (q *logQueue) tellsLost(notice func(lines int) []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.notice = notice
}

// Write queues what the program says, and waits where there is no room.
func (q *logQueue) Write(p []byte) (int, error) {
	q.await(func() bool { return q.closed || q.lost == 0 && len(q.pending)+len(p) <= max(mostPending, len(p)) })
	return q.line(p)
}

// line queues a line of log, or drops it.
func (q *logQueue) line(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.lost > 0 || len(q.pending) > 0 && len(q.pending)+len(p) > mostPending {
		if q.dropped.Add(uint64(newlines(p))); !q.closed { // else nobody is left to tell of it
			q.lost += newlines(p)
		}
		return len(p), nil
	}
	q.pending = append(q.pending, p...)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return len(p), nil
}

// logLines is where a logger writes, each line by one call.
type logLines struct{ *logQueue }

// Write queues or drops a line.
func (l logLines) Write(p []byte) (int, error) { return l.line(p) }

// settle waits until all has been written that was queued, as before something is printed elsewhere. It
// is false when it has given up.
func (q *logQueue) settle() bool {
	return q.await(func() bool { return len(q.pending) == 0 && q.lost == 0 && !q.busy })
}

// close settles, and ends the writer; what is written from now on is dropped. It is called once.
func (q *logQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.settle()
	close(q.over)
	q.hurry()
}

// await waits until a condition holds, which is asked under the lock. It gives up, and is false, a
// flushTimeout after it had to hurry.
func (q *logQueue) await(holds func() bool) bool {
	hurried := q.hurried.Done()
	var late <-chan time.Time
	for {
		moved := q.unless(holds)
		if moved == nil {
			return true
		}
		select {
		case <-moved:
		case <-hurried:
			hurried, late = nil, time.After(flushTimeout)
		case <-late:
			return false
		}
	}
}

// unless is nil when the condition holds; else it tells when it may.
func (q *logQueue) unless(holds func() bool) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if holds() {
		return nil
	}
	if q.moved == nil {
		q.moved = make(chan struct{})
	}
	return q.moved
}

// run writes until the queue is closed.
func (q *logQueue) run() {
	var batch []byte
	untold := 0 // lines that were lost
	for {
		var lost int
		if batch, lost = q.take(batch); len(batch)+lost == 0 {
			select {
			case <-q.wake:
				continue
			case <-q.over:
				return
			}
		}
		untold = q.tell(untold)
		untold = q.tell(untold + q.write(batch) + lost)
	}
}

// take swaps what is pending with a buffer whose content has been written.
func (q *logQueue) take(written []byte) (batch []byte, lost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if cap(written) > mostKept {
		written = nil
	}
	batch, lost = q.pending, q.lost
	q.pending, q.lost, q.busy = written[:0], 0, len(batch)+lost > 0
	if q.moved != nil {
		close(q.moved)
		q.moved = nil
	}
	return batch, lost
}

// tell says how many lines were lost, and returns how many are still to be told of.
func (q *logQueue) tell(lost int) int {
	if lost == 0 {
		return 0
	}
	q.mu.Lock()
	notice := q.notice
	q.mu.Unlock()
	if _, err := q.out.Write(notice(lost)); err != nil {
		return lost
	}
	return 0
}

// write writes lines, and returns how many could not be written.
func (q *logQueue) write(lines []byte) (lost int) {
	for len(lines) > 0 {
		part := lines[:cutLines(lines)]
		if n, err := q.out.Write(part); err != nil {
			lost += newlines(part[n:])
		}
		lines = lines[len(part):]
	}
	q.dropped.Add(uint64(lost))
	return lost
}

// cutLines is how many bytes are written next: whole lines, where there are any.
func cutLines(lines []byte) int {
	if len(lines) <= mostWritten {
		return len(lines)
	}
	if i := bytes.LastIndexByte(lines[:mostWritten], '\n'); i >= 0 {
		return i + 1
	}
	if i := bytes.IndexByte(lines, '\n'); i >= 0 {
		return i + 1
	}
	return len(lines)
}

func newlines(text []byte) int { return bytes.Count(text, []byte("\n")) }
