package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/exporter-toolkit/web"

	"sonde/schema"
	"sonde/schema/report"
)

// site is what run serves.
type site struct {
	page, metrics http.Handler
	// pages are the answers of page that are being made; routes sets it.
	pages *shared
	// ready becomes true once the first configuration runs.
	ready atomic.Bool
	// reload reads the files anew and returns what came of it in a sentence. It gives up when ctx ends.
	reload func(ctx context.Context) (string, error)
}

// routes is the whole site below a prefix, which is "" or "/path". What is not there is 404, another
// method than a route's is 405. No route is made of the prefix: patterns have a language of their own.
func (s *site) routes(prefix string) http.Handler {
	mux := http.NewServeMux()
	s.pages = newShared(s.page)
	mux.Handle("GET /{$}", s.pages)
	mux.Handle("GET /metrics", newScrapes(s.metrics))
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, "sonde is healthy.")
	})
	mux.HandleFunc("GET /-/ready", s.serveReady)
	mux.HandleFunc("POST /-/reload", s.serveReload)
	mux.HandleFunc("PUT /-/reload", s.serveReload)
	// No page that somebody visits may make their browser reload us.
	return http.NewCrossOriginProtection().Handler(below(prefix, mux))
}

// below serves a handler below a prefix, and leads there from the root.
func below(prefix string, h http.Handler) http.Handler {
	if prefix == "" {
		return h
	}
	inside := http.StripPrefix(prefix, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case strings.HasPrefix(r.URL.Path, prefix+"/"):
			inside.ServeHTTP(w, r)
		case reads && (r.URL.Path == "/" || r.URL.Path == prefix):
			http.Redirect(w, r, prefix+"/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
}

func (s *site) serveReady(w http.ResponseWriter, _ *http.Request) {
	if !s.ready.Load() {
		reply(w, http.StatusServiceUnavailable, "sonde is not ready.")
		return
	}
	reply(w, http.StatusOK, "sonde is ready.")
}

func (s *site) serveReload(w http.ResponseWriter, r *http.Request) {
	text, err := s.reload(r.Context())
	if err != nil {
		reply(w, http.StatusInternalServerError, "reload failed; what ran before runs on:\n"+refusal(err))
		return
	}
	reply(w, http.StatusOK, text)
}

// refusal is why a file was not loaded, its problems as sonde check prints them.
func refusal(err error) string {
	var problems schema.Problems
	if !errors.As(err, &problems) {
		return clean(err.Error())
	}
	var b strings.Builder
	report.Write(&b, report.Text, report.Report{Problems: problems})
	return b.String() + "sonde check --explain RULE says more of a rule."
}

func reply(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	io.WriteString(w, text+"\n")
}

// servers serve one handler on any number of listeners.
type servers struct {
	all []*http.Server
	// failed tells when one has ended by itself.
	failed chan error
}

// serve begins to serve; TLS and basic auth are as the file config says, if it is not "". What the servers and
// exporter-toolkit have to say is logged at debug, but what goes wrong.
func serve(f webFlags, config string, listeners []net.Listener, h http.Handler, l *slog.Logger) *servers {
	s := &servers{failed: make(chan error, len(listeners))}
	for _, listener := range listeners {
		// One server a listener: exporter-toolkit wraps the handler of each that it is given.
		server := &http.Server{
			Handler: h, ErrorLog: log.New(lineLogger{l}, "", 0), MaxHeaderBytes: 64 << 10,
			ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		}
		s.all = append(s.all, server)
		flags := &web.FlagConfig{WebListenAddresses: &f.Listen, WebConfigFile: &config}
		go func() {
			err := web.Serve(listener, server, flags, slog.New(quieter{l.Handler()}))
			if !errors.Is(err, http.ErrServerClosed) {
				s.failed <- fmt.Errorf("serving on %s: %w", listener.Addr(), err)
			}
		}()
	}
	return s
}

// shutdown ends the servers: requests that go on may end until ctx does.
func (s *servers) shutdown(ctx context.Context) {
	for _, server := range s.all {
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
}

// quieter logs at debug what a library logs at info.
type quieter struct{ slog.Handler }

// Enabled is asked before a line is made.
func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, quiet(l))
}

// Handle logs a line.
func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	r.Level = quiet(r.Level)
	return q.Handler.Handle(ctx, r)
}

func quiet(l slog.Level) slog.Level {
	if l == slog.LevelInfo {
		return slog.LevelDebug
	}
	return l
}
