package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// handler is what the demo's web servers answer.
func (d *demo) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /home", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "<h1>Demo shop</h1><button>Add to cart</button>")
	})
	mux.HandleFunc("GET /slow", d.slow)
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the shop's database is gone", http.StatusInternalServerError)
	})
	mux.Handle("GET /sometimes/503", sometimes(3, unavailable, fine))
	mux.Handle("GET /sometimes/429", sometimes(3, busy, fine))
	mux.Handle("GET /sometimes/cut", sometimes(4, cut, fine))
	mux.Handle("GET /sometimes/half", sometimes(5, half, fine))
	mux.Handle("GET /sometimes/stall", sometimes(4, d.stall, fine))
	keyed, keyless := sometimes(3, unavailable, created), sometimes(3, unavailable, created)
	mux.HandleFunc("POST /sometimes/order-503", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") != "" {
			keyed.ServeHTTP(w, r)
			return
		}
		keyless.ServeHTTP(w, r)
	})
	return mux
}

// sometimes answers badly the first request of every so many, and well the others, so that the first
// run of a probe is flaky, and some later ones are.
func sometimes(every uint64, badly, well http.HandlerFunc) http.Handler {
	var asked atomic.Uint64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%every == 1 {
			badly(w, r)
			return
		}
		well(w, r)
	})
}

func fine(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "3 results") }

func created(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintln(w, `{"order":1}`)
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "no server is free", http.StatusServiceUnavailable)
}

func busy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "too many searches", http.StatusTooManyRequests)
}

// cut closes the connection before a byte of the answer.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// half closes the connection in the middle of the body.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprintln(w, "3 results, of which")
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// slow sends its page in pieces with pauses, which no limit minds.
func (d *demo) slow(w http.ResponseWriter, r *http.Request) {
	for _, line := range []string{"January", "February", "March"} {
		if !d.pause(r, 200*time.Millisecond) {
			return
		}
		fmt.Fprintln(w, line)
		http.NewResponseController(w).Flush()
	}
}

// stall is silent until the caller has had enough.
func (d *demo) stall(_ http.ResponseWriter, r *http.Request) { d.pause(r, demoSilence) }

// pause reports whether the caller and the demo are still there after a while.
func (d *demo) pause(r *http.Request, long time.Duration) bool {
	t := time.NewTimer(long)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-d.done:
	}
	return false
}
