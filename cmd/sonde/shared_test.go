package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// slowHandler answers when it is let, and counts how often it was asked.
type slowHandler struct {
	asked  chan struct{}
	let    chan struct{}
	answer string
	calls  atomic.Int32
}

func newSlow(answer string) *slowHandler {
	return &slowHandler{asked: make(chan struct{}, 100), let: make(chan struct{}), answer: answer}
}

func (h *slowHandler) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h.calls.Add(1)
	h.asked <- struct{}{}
	<-h.let
	w.Header().Set("Content-Type", "text/x-test")
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, h.answer)
}

// holders waits until so many hold the answer that is being made.
func (s *shared) awaitHolders(n int) {
	for held := -1; held != n; {
		s.mu.Lock()
		held = 0
		for _, r := range s.going {
			held += r.holders
		}
		s.mu.Unlock()
		runtime.Gosched()
	}
}

func TestManyWhoAskAtOnceGetOneRendering(t *testing.T) {
	t.Parallel()
	slow := newSlow("the answer")
	s := newShared(slow)
	answers := make(chan *httptest.ResponseRecorder)
	const many = 50
	for range many {
		go func() {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			answers <- w
		}()
	}
	s.awaitHolders(many)
	close(slow.let)
	for range many {
		w := <-answers
		if w.Code != http.StatusAccepted || w.Body.String() != "the answer" || w.Header().Get("Content-Type") != "text/x-test" {
			t.Fatalf("got %d %q %v", w.Code, w.Body, w.Header())
		}
	}
	if n := slow.calls.Load(); n != 1 {
		t.Errorf("it was made %d times, want once", n)
	}
	if s.room != mostRenderings || len(s.going) != 0 {
		t.Errorf("room for %d and %d going in the end, want %d and none", s.room, len(s.going), mostRenderings)
	}
}

func TestNoMoreRenderingsThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	slow := newSlow("")
	s := newShared(slow)
	ask := func(accept string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
		r.Header.Set("Accept", accept)
		s.ServeHTTP(w, r)
		return w
	}
	ended := make(chan int)
	for i := range mostRenderings {
		go func() { ended <- ask(fmt.Sprint("text/", i)).Code }()
		<-slow.asked
	}
	w := ask("text/other")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one too many gets %d %v, want 503 and Retry-After", w.Code, w.Header())
	}
	close(slow.let)
	for range mostRenderings {
		if code := <-ended; code != http.StatusAccepted {
			t.Errorf("one of those within gets %d", code)
		}
	}
	if w := ask("text/other"); w.Code != http.StatusAccepted {
		t.Errorf("afterwards it gets %d", w.Code)
	}
}

// A panic must leave neither room lost nor anybody waiting.
func TestARenderingThatPanics(t *testing.T) {
	t.Parallel()
	s := newShared(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a bug") }))
	func() {
		defer func() { recover() }()
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	if s.room != mostRenderings || len(s.going) != 0 {
		t.Errorf("room for %d and %d going, want %d and none", s.room, len(s.going), mostRenderings)
	}
	w := httptest.NewRecorder()
	(&rendering{}).send(w)
	if w.Code != http.StatusInternalServerError {
		t.Errorf("the others get %d, want 500", w.Code)
	}
}

// Clients that ask and never read keep nobody else from an answer.
func TestClientsThatNeverRead(t *testing.T) {
	t.Parallel()
	slow := newSlow(strings.Repeat("much more than the kernel's buffers\n", 1<<18))
	s := &site{page: slow, metrics: http.NotFoundHandler()}
	server := httptest.NewServer(s.routes(""))
	defer server.Close()
	const many = 30
	for range many {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	s.pages.awaitHolders(many) // of one answer; who came later would have one of their own
	close(slow.let)
	for range 3 {
		if code, text := call(t, "GET", server.URL+"/"); code != http.StatusAccepted || len(text) != len(slow.answer) {
			t.Fatalf("another client gets %d and %d bytes, want all %d", code, len(text), len(slow.answer))
		}
	}
	if n := slow.calls.Load(); n > mostRenderings+3 {
		t.Errorf("it was made %d times", n)
	}
}
