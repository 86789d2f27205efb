package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"sonde/schema"
)

// reloader replaces the running set. One goroutine, that of run, reads the files and swaps the set, so
// that reloads never overlap; SIGHUP, POST and the file watch ask it. What can fail comes first: a bad
// file leaves the good one running.
type reloader struct {
	// load reads the files; it gives up when its context ends.
	load func(context.Context) (*schema.Set, error)
	// apply makes a set the running one and says in a sentence what changed.
	apply func(*schema.Set) string
	// record tells of the outcome, for the metrics and the page: the hash of what was loaded, or why nothing was.
	record func(err error, at time.Time, hash string)
	log    *slog.Logger
	// before is called before the files are read; it may be nil.
	before func()
	// after is called when all that a reload took is no longer needed; it may be nil.
	after func()

	asks chan ask
	over chan struct{} // closed when run has returned
}

// ask is one wish for a reload, and where its outcome goes.
type ask struct {
	cause string
	done  chan<- reloaded
}

// reloaded is what came of a reload: what changed, or why nothing did.
type reloaded struct {
	text string
	err  error
}

// errStopping is the outcome of a reload that is asked for too late.
var errStopping = errors.New("sonde is stopping")

func newReloader(load func(context.Context) (*schema.Set, error), apply func(*schema.Set) string,
	record func(error, time.Time, string), l *slog.Logger) *reloader {
	return &reloader{load: load, apply: apply, record: record, log: l, asks: make(chan ask), over: make(chan struct{})}
}

// run does what is asked for, and reloads at each hangup, until ctx ends.
func (r *reloader) run(ctx context.Context, hangup <-chan os.Signal) {
	defer close(r.over)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			r.reload(ctx, "SIGHUP")
		case a := <-r.asks:
			a.done <- r.reload(ctx, a.cause)
		}
		if r.after != nil {
			r.after()
		}
	}
}

// ask has the files read anew and returns what came of exactly this reload. When ctx ends first, the
// reload goes on without whoever asked.
func (r *reloader) ask(ctx context.Context, cause string) (string, error) {
	done := make(chan reloaded, 1)
	select {
	case r.asks <- ask{cause, done}:
	case <-r.over:
		return "", errStopping
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case o := <-done:
		return o.text, o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (r *reloader) reload(ctx context.Context, cause string) reloaded {
	if r.before != nil {
		r.before()
	}
	set, err := r.load(ctx)
	if ctx.Err() != nil {
		if err == nil {
			closeAll(set.Probes)
		}
		return reloaded{err: errStopping}
	}
	if err != nil {
		r.failed(cause, err)
		return reloaded{err: err}
	}
	return reloaded{text: r.start(cause, set)}
}

// start makes a set that has been read the running one.
func (r *reloader) start(cause string, set *schema.Set) string {
	for _, w := range set.Warnings {
		r.log.Warn("the configuration works but looks wrong", "place", place(w), "problem", clean(w.Text), "rule", w.Rule)
	}
	text := r.apply(set)
	r.record(nil, time.Now(), set.Hash)
	r.log.Info("configuration loaded", "cause", cause, "files", len(set.Files), "probes", len(set.Probes), "change", text)
	return text
}

// problemLines are what is wrong, a line a problem, as sonde check has them; none of nil.
func problemLines(err error) (lines []string) {
	var problems schema.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			lines = append(lines, p.String())
		}
	case err != nil:
		lines = []string{err.Error()}
	}
	return lines
}

// failed logs every problem on a line of its own.
func (r *reloader) failed(cause string, err error) {
	r.record(err, time.Now(), "")
	var problems schema.Problems
	if !errors.As(err, &problems) {
		attrs := []any{"cause", cause, "error", clean(err.Error())}
		if stack := bugStack(err); stack != "" {
			attrs = append(attrs, "stack", stack)
		}
		r.log.Error("reload failed; what ran before runs on", attrs...)
		return
	}
	r.log.Error("reload failed; what ran before runs on", "cause", cause, "problems", len(problems))
	for _, p := range problems {
		r.log.Error("problem in the configuration", "place", place(p), "problem", clean(p.Text), "rule", p.Rule)
	}
}
