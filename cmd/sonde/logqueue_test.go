package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// reader is a standard error that takes nothing until it is let go, and fails while fails is set.
type reader struct {
	bytes.Buffer
	free  chan struct{}
	fails error
}

// Write waits to be let go.
func (r *reader) Write(p []byte) (int, error) {
	<-r.free
	if r.fails != nil {
		return 0, r.fails
	}
	return r.Buffer.Write(p)
}

// queued tests a queue in front of a reader, in virtual time.
func queued(t *testing.T, f func(q *logQueue, log io.Writer, r *reader)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &reader{free: make(chan struct{})}
		q := newLogQueue(t.Context(), r)
		q.tellsLost(func(lines int) []byte { return fmt.Appendf(nil, "lost %d\n", lines) })
		f(q, logLines{q}, r)
	})
}

// line is a line of n bytes.
func line(n int) []byte { return append(bytes.Repeat([]byte("x"), n-1), '\n') }

func TestALogThatNobodyReadsHoldsNothingUp(t *testing.T) {
	queued(t, func(q *logQueue, log io.Writer, r *reader) {
		io.WriteString(log, "first\n")
		synctest.Wait() // the writer has it, and is stuck
		log.Write(line(mostPending))
		for range 3 {
			io.WriteString(log, "lost\n")
		}
		if got := q.dropped.Load(); got != 3 {
			t.Errorf("%d lines were dropped, want 3", got)
		}
		close(r.free)
		synctest.Wait()
		io.WriteString(log, "last\n")
		q.close()
		if got, want := r.String(), "first\n"+string(line(mostPending))+"lost 3\nlast\n"; got != want {
			t.Errorf("written is %q, want %q", short100(got), short100(want))
		}
	})
}

// short100 is the ends of a long text.
func short100(text string) string {
	if len(text) <= 200 {
		return text
	}
	return text[:100] + "…" + text[len(text)-100:]
}

// A full disk takes nothing for a while, and its lines are lost: told of once, when one is written again.
func TestLinesThatCannotBeWrittenAreToldOf(t *testing.T) {
	queued(t, func(q *logQueue, log io.Writer, r *reader) {
		close(r.free)
		r.fails = errors.New("no space left on device")
		for range 5 {
			io.WriteString(log, "lost\n")
			q.settle()
		}
		r.fails = nil
		io.WriteString(log, "kept\n")
		io.WriteString(log, "kept\n")
		q.close()
		if got, want := r.String(), "lost 5\nkept\nkept\n"; got != want || q.dropped.Load() != 5 {
			t.Errorf("written is %q and %d are dropped, want %q and 5", got, q.dropped.Load(), want)
		}
	})
}

// What the program says waits for its reader, in its place among the lines of log, until there is no time.
func TestWhatTheProgramSaysWaits(t *testing.T) {
	queued(t, func(q *logQueue, log io.Writer, r *reader) {
		io.WriteString(log, "first\n")
		synctest.Wait()
		log.Write(line(mostPending))
		said := make(chan struct{})
		go func() {
			io.WriteString(q, "sonde: cannot\n")
			close(said)
		}()
		time.Sleep(time.Hour)
		close(r.free)
		<-said
		q.close()
		if got, want := r.String(), "first\n"+string(line(mostPending))+"sonde: cannot\n"; got != want {
			t.Errorf("written is %q, want %q", short100(got), short100(want))
		}
	})
}

// The end waits for a reader, but for a second only when the program is asked to stop or in a hurry.
func TestTheEndWaitsNotForEver(t *testing.T) {
	queued(t, func(q *logQueue, log io.Writer, r *reader) {
		io.WriteString(log, "first\n")
		begun := time.Now()
		go func() {
			time.Sleep(time.Minute)
			q.hurry()
		}()
		if q.settle() {
			t.Error("all is written, want none: nobody reads")
		}
		if got, want := time.Since(begun), time.Minute+flushTimeout; got != want {
			t.Errorf("it took %v, want %v", got, want)
		}
		begun = time.Now()
		q.close()
		if got := time.Since(begun); got != flushTimeout {
			t.Errorf("the end took %v, want %v", got, flushTimeout)
		}
		io.WriteString(q, "too late\n")
		close(r.free) // lets the writer go, which then ends
		synctest.Wait()
		if got, want := r.String(), "first\n"; got != want || q.dropped.Load() != 1 {
			t.Errorf("written is %q and %d lines are dropped, want %q and 1", got, q.dropped.Load(), want)
		}
	})
}

// A signal is a hurry, too.
func TestASignalHurries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &reader{free: make(chan struct{})}
		q := newLogQueue(ctx, r)
		io.WriteString(q, "first\n")
		cancel()
		if q.settle() {
			t.Error("all is written, want none")
		}
		close(r.free)
		q.close()
	})
}

func TestLinesAreWrittenWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines string
		want  int
	}{
		{"few", "a\nb\n", 4},
		{"many", strings.Repeat(string(line(100)), 50), 4000},
		{"a long one", string(line(10000)) + "b\n", 10000},
		{"no line", strings.Repeat("x", 5000), 5000},
	} {
		if got := cutLines([]byte(tt.lines)); got != tt.want {
			t.Errorf("%s: %d bytes at first, want %d", tt.name, got, tt.want)
		}
	}
}

// BenchmarkLogQueue is what a line costs who logs it.
func BenchmarkLogQueue(b *testing.B) {
	q := newLogQueue(b.Context(), io.Discard)
	defer q.close()
	text := line(300)
	b.ReportAllocs()
	for b.Loop() {
		q.line(text)
	}
}
