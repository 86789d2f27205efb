package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sonde/probe/metrics"
)

const (
	// stuckAfter is how long a client may let a piece of an answer wait while others wait for their turn.
	stuckAfter = 250 * time.Millisecond
	// patience is how many times as long one waits for a turn.
	patience = 16
	// piece is how many bytes a client must take to be seen as one that reads.
	piece = 64 << 10
)

// scrapes serves the metrics. Answers that are sent as they are made are mostRenderings at a time; who
// comes beside them waits, and meanwhile who does not read loses his connection. So clients that never
// read keep nobody from an answer for longer than a moment, though each answer is of its own numbers.
// Those that are made as a whole are shared.
type scrapes struct {
	handler http.Handler
	whole   *shared
	turns   chan struct{}

	mu    sync.Mutex
	going map[*sending]bool // true of one that has been cut
}

func newScrapes(h http.Handler) *scrapes {
	return &scrapes{handler: h, whole: newShared(h), turns: make(chan struct{}, mostRenderings), going: map[*sending]bool{}}
}

// ServeHTTP answers.
func (s *scrapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !metrics.Streamed(r) {
		s.whole.ServeHTTP(w, r)
		return
	}
	if !s.turn(r.Context()) {
		w.Header().Set("Retry-After", comeAgain)
		reply(w, http.StatusServiceUnavailable, "too many others are being answered; come again.")
		return
	}
	answer := s.begin(w)
	defer s.end(answer)
	s.handler.ServeHTTP(answer, r)
}

// turn waits for a turn, but not for long.
func (s *scrapes) turn(ctx context.Context) bool {
	for range patience {
		select {
		case s.turns <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-time.After(stuckAfter):
			s.cutStuck()
		}
	}
	return false
}

func (s *scrapes) begin(w http.ResponseWriter) *sending {
	answer := &sending{ResponseWriter: w}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.going[answer] = false
	return answer
}

func (s *scrapes) end(answer *sending) {
	s.mu.Lock()
	delete(s.going, answer)
	s.mu.Unlock()
	<-s.turns
}

// cutStuck ends the answer whose client has let a piece of it wait for the longest, and for too long.
func (s *scrapes) cutStuck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var longest *sending
	most := stuckAfter
	for answer, cut := range s.going {
		if stuck := answer.stuck(); !cut && stuck >= most {
			longest, most = answer, stuck
		}
	}
	if longest == nil {
		return
	}
	s.going[longest] = true
	// It is sending now, so that the connection is still this answer's; what does not know deadlines is
	// no connection.
	_ = http.NewResponseController(longest.ResponseWriter).SetWriteDeadline(time.Now())
}

// sending is an answer on its way to a client.
type sending struct {
	http.ResponseWriter
	mu    sync.Mutex
	since time.Time // when the piece that is being sent was begun; zero when none is
}

// Unwrap is for http.ResponseController.
func (s *sending) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Write sends piece by piece.
func (s *sending) Write(p []byte) (n int, err error) {
	for first := true; err == nil && (first || n < len(p)); first = false {
		s.note(time.Now())
		var sent int
		sent, err = s.ResponseWriter.Write(p[n:min(len(p), n+piece)])
		n += sent
	}
	s.note(time.Time{})
	return n, err
}

func (s *sending) note(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = since
}

// stuck is for how long the piece has been waiting that is being sent.
func (s *sending) stuck() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return 0
	}
	return time.Since(s.since)
}
