package main

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// mostRenderings is how many answers of one handler are in memory at a time, each for all who asked
	// alike while it was made.
	mostRenderings = 5
	// takeTimeout is how long a client may take to read an answer: as long as Prometheus' own timeout,
	// and some more. One that reads nothing holds the answer no longer.
	takeTimeout = 15 * time.Second
	// comeAgain is what is said, in seconds, to those for whom there is no room.
	comeAgain = "5"
)

// shared makes the answers of a handler in memory, one for all requests that are alike and come while it
// is made, and keeps no more than mostRenderings of them. So neither many clients at a time nor such as
// never read cost much more than one does; who comes beside too many of them is told to come again.
type shared struct {
	handler http.Handler

	mu    sync.Mutex
	room  int                   // renderings that may be begun
	going map[string]*rendering // those that are being made
}

func newShared(h http.Handler) *shared {
	return &shared{handler: h, room: mostRenderings, going: map[string]*rendering{}}
}

// rendering is an answer, and the http.ResponseWriter that takes it.
type rendering struct {
	done    chan struct{} // closed when it is complete; only then the rest may be read
	status  int           // 0 when the handler has not come to its end
	header  http.Header
	body    bytes.Buffer
	holders int // under shared.mu
}

// Header is the header to be sent.
func (r *rendering) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *rendering) WriteHeader(status int) { r.status = status }

// Write keeps a part of the body.
func (r *rendering) Write(p []byte) (int, error) { return r.body.Write(p) }

// ServeHTTP answers.
func (s *shared) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	key := likeness(req)
	answer, first := s.hold(key)
	if answer == nil {
		w.Header().Set("Retry-After", comeAgain)
		reply(w, http.StatusServiceUnavailable, "too many others are being answered; come again.")
		return
	}
	defer s.release(answer)
	if first {
		s.render(key, answer, req)
	}
	select {
	case <-answer.done:
		answer.send(w)
	case <-req.Context().Done():
	}
}

// likeness is equal for requests that get the same answer.
func likeness(r *http.Request) string {
	parts := []string{r.Method, r.URL.Path, r.URL.RawQuery}
	parts = append(parts, r.Header.Values("Accept")...)
	parts = append(parts, "")
	return strings.Join(append(parts, r.Header.Values("Accept-Encoding")...), "\x00")
}

// hold is the answer that is being made for the key, or else one that the caller must make; nil when
// there is no room. What is held must be released.
func (s *shared) hold(key string) (answer *rendering, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer = s.going[key]
	if answer == nil {
		if s.room == 0 {
			return nil, false
		}
		s.room--
		answer, first = &rendering{done: make(chan struct{}), header: http.Header{}}, true
		s.going[key] = answer
	}
	answer.holders++
	return answer, first
}

func (s *shared) release(answer *rendering) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer.holders--; answer.holders == 0 {
		s.room++
	}
}

// render makes the answer, for all: it goes on when the one who asked first has left.
func (s *shared) render(key string, answer *rendering, req *http.Request) {
	defer func() {
		s.mu.Lock()
		delete(s.going, key)
		s.mu.Unlock()
		close(answer.done)
	}()
	s.handler.ServeHTTP(answer, req.WithContext(context.WithoutCancel(req.Context())))
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
}

// send sends the answer to one client.
func (r *rendering) send(w http.ResponseWriter) {
	if r.status == 0 {
		reply(w, http.StatusInternalServerError, "a bug of sonde: see its log.")
		return
	}
	// What does not know deadlines is no connection.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(takeTimeout))
	maps.Copy(w.Header(), r.header)
	w.WriteHeader(r.status)
	w.Write(r.body.Bytes())
}
