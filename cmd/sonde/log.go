package main

import (
	"context"
	"log/slog"
	"time"

	"sonde/probe"
)

// logSink writes a line for every retry and for every run: retries, down, and what is our own fault at
// warn, flaky and a recovery at info, up at debug. A canceled run is nobody's failure and is quiet. Texts
// that came from a target are cleaned here and escaped by slog.
type logSink struct {
	log *slog.Logger
	// calm is whether what came of a run is not worth a warning, since the results are printed anyway.
	calm   bool
	spells spells
}

// Declare is not worth a line; the reload that declared the probe has one.
func (s *logSink) Declare(*probe.Probe) {}

// Forget is not worth a line either.
func (s *logSink) Forget(p *probe.Probe) { s.spells.forget(p.Name) }

// AttemptDone logs an attempt after which another follows.
func (s *logSink) AttemptDone(p *probe.Probe, a *probe.Attempt) {
	if a.Transparent {
		s.log.Debug("sent again on a fresh connection", "probe", p.Name, "attempt", a.Number, "ok", a.OK)
	}
	if a.OK || a.WaitSource == "" {
		return
	}
	attrs := append(attemptAttrs(p, a), slog.Duration("wait", a.Wait.Round(time.Microsecond)), slog.String("wait_source", string(a.WaitSource)))
	s.log.LogAttrs(context.Background(), slog.LevelWarn, "attempt failed, another follows", attrs...)
}

// attemptAttrs says which attempt of what failed, and how.
func attemptAttrs(p *probe.Probe, a *probe.Attempt) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("probe", p.Name), slog.Int("attempt", a.Number), slog.Int("of", max(1, p.Policy.Attempts)),
	}
	if a.Method != "" {
		attrs = append(attrs, slog.String("method", a.Method))
	}
	return append(attrs, slog.String("target", p.Target), slog.String("reason", string(a.Reason)),
		slog.String("error", errorText(a.Err)), slog.String("evidence", string(a.Evidence)))
}

// RunDone logs the verdict, and of a probe that passes again how long it did not.
func (s *logSink) RunDone(r *probe.Result) {
	over := s.spells.after(r)
	level, text := lineOf(r, over)
	if s.calm && r.Reason != probe.ReasonInternal { // whose stack is printed nowhere else
		level = min(level, slog.LevelInfo)
	}
	if s.log.Enabled(context.Background(), level) {
		s.log.LogAttrs(context.Background(), level, text, append(runAttrs(r), over.attrs()...)...)
	}
}

// lineOf is how a run is logged; over is the spell that it has ended, if it has.
func lineOf(r *probe.Result, over *spell) (slog.Level, string) {
	switch {
	case canceled(r):
		return slog.LevelDebug, "run canceled"
	case r.Verdict == probe.Down:
		return slog.LevelWarn, "probe is down"
	case r.Verdict == probe.Unknown && r.Reason.Blame() == probe.Ours:
		return slog.LevelWarn, "run says nothing of the target: the fault is ours"
	case r.Verdict == probe.Unknown:
		return slog.LevelInfo, "run says nothing of the target"
	case r.Verdict == probe.Flaky && over != nil:
		return slog.LevelInfo, "probe is up again, but flaky: it passed after a retry"
	case r.Verdict == probe.Flaky:
		return slog.LevelInfo, "probe is flaky: it passed after a retry"
	case over != nil:
		return slog.LevelInfo, "probe is up again"
	}
	return slog.LevelDebug, "probe is up"
}

func runAttrs(r *probe.Result) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("probe", r.Probe.Name), slog.String("target", r.Probe.Target),
		slog.String("verdict", string(r.Verdict)), slog.Int("attempts", r.Charged()), slog.Duration("duration", r.Duration.Round(time.Microsecond)),
	}
	if r.Err == nil {
		return attrs
	}
	attrs = append(attrs, slog.String("reason", string(r.Reason)), slog.String("stop", string(r.Stop)),
		slog.String("error", errorText(r.Err)))
	if stack := stackOf(r); stack != "" {
		attrs = append(attrs, slog.String("stack", stack))
	}
	return attrs
}
