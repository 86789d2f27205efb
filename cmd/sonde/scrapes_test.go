package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stuckWriter is a connection whose client reads nothing until it is cut.
type stuckWriter struct {
	*httptest.ResponseRecorder
	once sync.Once
	cut  chan struct{}
}

func newStuckWriter() *stuckWriter {
	return &stuckWriter{ResponseRecorder: httptest.NewRecorder(), cut: make(chan struct{})}
}

func (w *stuckWriter) Write([]byte) (int, error) {
	<-w.cut
	return 0, net.ErrClosed
}

func (w *stuckWriter) SetWriteDeadline(time.Time) error {
	w.once.Do(func() { close(w.cut) })
	return nil
}

// says is a handler that answers with a text, or aborts.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.WriteString(w, text); err != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// TestWhoDoesNotReadMakesRoom has more clients that never read than there are turns, and then one that does.
func TestWhoDoesNotReadMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScrapes(says("the answer"))
		aborted := make(chan bool, 3*mostRenderings)
		for range 3 * mostRenderings {
			go func() {
				defer func() { aborted <- recover() == http.ErrAbortHandler }()
				s.ServeHTTP(newStuckWriter(), httptest.NewRequest("GET", "/metrics", nil))
			}()
		}
		synctest.Wait()
		began := time.Now()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if took := time.Since(began); w.Body.String() != "the answer" || took > 4*stuckAfter {
			t.Errorf("one who reads got %d %q after %v, want the answer within %v", w.Code, w.Body, took, 4*stuckAfter)
		}
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil))
		for range 2 * mostRenderings { // those of the last round are left alone: nobody waits for their turns
			if !<-aborted {
				t.Error("one who does not read was answered")
			}
		}
		for range 3 * mostRenderings { // one who still waits for a turn gets it from one who is cut
			s.mu.Lock()
			for answer := range s.going {
				answer.ResponseWriter.(*stuckWriter).SetWriteDeadline(time.Time{})
			}
			s.mu.Unlock()
			synctest.Wait()
		}
		if len(s.going) != 0 || len(s.turns) != 0 {
			t.Errorf("%d answers and %d turns are left", len(s.going), len(s.turns))
		}
	})
}

// TestWhoReadsIsNotCut holds that a client that reads, however long its answer is made, keeps its turn,
// and that who waits is told to come again in the end.
func TestWhoReadsIsNotCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := newSlow("done")
		s := newScrapes(slow)
		answers := make(chan int)
		for range mostRenderings {
			go func() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
				answers <- w.Code
			}()
			<-slow.asked
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("one too many gets %d %v, want 503 and Retry-After", w.Code, w.Header())
		}
		close(slow.let)
		for range mostRenderings {
			if code := <-answers; code != http.StatusAccepted {
				t.Errorf("one of those within gets %d", code)
			}
		}
	})
}

// TestProtobufIsShared holds that what is made as a whole is made once for all who ask alike.
func TestProtobufIsShared(t *testing.T) {
	t.Parallel()
	slow := newSlow("bytes")
	s := newScrapes(slow)
	answers := make(chan string)
	for range 3 {
		go func() {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
			r.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
			s.ServeHTTP(w, r)
			answers <- w.Body.String()
		}()
	}
	s.whole.awaitHolders(3)
	close(slow.let)
	for range 3 {
		if got := <-answers; got != "bytes" {
			t.Errorf("got %q", got)
		}
	}
	if n := slow.calls.Load(); n != 1 {
		t.Errorf("it was made %d times, want once", n)
	}
}

// Clients that ask for metrics and never read keep nobody else from an answer, also over real sockets. On a busy
// machine one who reads may look like one who does not, and has to come again.
func TestScrapersThatNeverRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("much more than the kernel's buffers\n", 1<<18)
	server := httptest.NewServer((&site{page: http.NotFoundHandler(), metrics: says(text)}).routes(""))
	defer server.Close()
	for range 3 * mostRenderings {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	for range 3 {
		if got := readAgain(t, server.URL+"/metrics", 20); len(got) != len(text) {
			t.Fatalf("another client gets %d bytes, want all %d", len(got), len(text))
		}
	}
}

// readAgain asks up to so many times until it has a whole answer of status 200.
func readAgain(t *testing.T, url string, times int) string {
	t.Helper()
	for range times {
		resp, err := http.Get(url)
		if err != nil {
			t.Log(err)
			continue
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK && err == nil {
			return string(text)
		}
		t.Logf("%s answers %d, %d bytes, %v", url, resp.StatusCode, len(text), err)
	}
	t.Fatalf("%s has no whole answer at %d times", url, times)
	return ""
}
