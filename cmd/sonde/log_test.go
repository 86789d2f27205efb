package main

import (
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/promslog"

	"sonde/probe"
	"sonde/probe/retry"
)

var noise = regexp.MustCompile(`time=\S+ | source=\S+|source=\S+ `)

var messageOf = regexp.MustCompile(`level=\w+ msg="[^"]*"`)

// logged is what a function logs, a line each, without times and places.
func logged(level string, f func(*slog.Logger)) []string {
	var b strings.Builder
	f(logFlags{Level: level, Format: "logfmt"}.newLogger(&b))
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, noise.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	return lines
}

func tellAll(sink probe.Sink, results ...*probe.Result) {
	for _, r := range results {
		for i := range r.Attempts {
			sink.AttemptDone(r.Probe, &r.Attempts[i])
		}
		sink.RunDone(r)
	}
}

func TestLogOfRuns(t *testing.T) {
	t.Parallel()
	gone := upResult()
	gone.Verdict, gone.Stop, gone.Reason = probe.Unknown, retry.StopCanceled, probe.ReasonCanceled
	gone.Err = &probe.RunError{Stop: gone.Stop, Err: interrupted{}}
	lines := logged("info", func(l *slog.Logger) { tellAll(&logSink{log: l}, append(someResults(), gone)...) })
	want := []string{
		`level=WARN msg="attempt failed, another follows" probe=orders-create attempt=1 of=3 method=POST target=https://api.example.com/orders-create reason=status error="status 503\\x1b[2J; second line\\x9b31m, want \"201\" & <b>" evidence=answered wait=720ms wait_source=backoff`,
		`level=INFO msg="probe is flaky: it passed after a retry" probe=orders-create target=https://api.example.com/orders-create verdict=flaky attempts=2 duration=812ms`,
		`level=INFO msg="run says nothing of the target" probe=never-began target=https://api.example.com/never-began verdict=unknown attempts=0 duration=0s reason=deadline stop=batch_deadline error="the deadline of --deadline has passed"`,
		`level=WARN msg="attempt failed, another follows" probe=db attempt=1 of=2 target=db.internal:5432 reason=connect_refused error="connecting 203.0.113.9:5432: connection refused" evidence=never_sent wait=500ms wait_source=backoff`,
		`level=WARN msg="probe is down" probe=db target=db.internal:5432 verdict=down attempts=2 duration=8.2s reason=connect_refused stop=attempts error="connecting 203.0.113.9:5432: connection refused"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestLogOfWhatIsQuiet(t *testing.T) {
	t.Parallel()
	gone := upResult()
	gone.Verdict, gone.Stop, gone.Reason = probe.Unknown, retry.StopCanceled, probe.ReasonCanceled
	again := upResult()
	again.Attempts[0].Transparent = true
	lines := logged("debug", func(l *slog.Logger) { tellAll(&logSink{log: l}, gone, again) })
	want := []string{
		`level=DEBUG msg="run canceled" probe=home target=https://api.example.com/home verdict=unknown attempts=1 duration=120ms`,
		`level=DEBUG msg="sent again on a fresh connection" probe=home attempt=1 ok=true`,
		`level=DEBUG msg="probe is up" probe=home target=https://api.example.com/home verdict=up attempts=0 duration=120ms`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestLogOfOurOwnFault(t *testing.T) {
	t.Parallel()
	r := downResult()
	r.Verdict, r.Reason, r.Attempts = probe.Unknown, probe.ReasonInternal, nil
	r.Err = &probe.RunError{Err: &probe.PanicError{Value: "oops", Stack: []byte("goroutine 1")}}
	lines := logged("warn", func(l *slog.Logger) { tellAll(&logSink{log: l}, r) })
	if len(lines) != 1 || !strings.Contains(lines[0], `level=WARN msg="run says nothing of the target: the fault is ours"`) ||
		!strings.Contains(lines[0], `stack="goroutine 1"`) {
		t.Errorf("log: %q", lines)
	}
}

func TestStandardLoggerGoesToDebug(t *testing.T) {
	t.Parallel()
	lines := logged("debug", func(l *slog.Logger) {
		lineLogger{l}.Write([]byte("Unsolicited response \x1b[2J\n"))
		lineLogger{l}.Write([]byte("http: panic serving 127.0.0.1:1: oops\ngoroutine 1\n"))
	})
	want := []string{
		`level=DEBUG msg="from a library" line="Unsolicited response \\x1b[2J"`,
		`level=ERROR msg="from a library" line="http: panic serving 127.0.0.1:1: oops; goroutine 1"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestLogSaysNoSource but at debug, and all else is as promslog has it, in both formats.
func TestLogSaysNoSource(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"logfmt": `^time=\S+ level=WARN msg="a b" wait=1m30s\n$`,
		"json":   `^\{"time":"[^"]+","level":"WARN","msg":"a b","wait":"1m30s"\}\n$`,
	} {
		for _, level := range promslog.LevelFlagOptions[:3] {
			var b strings.Builder
			logFlags{Level: level, Format: format}.newLogger(&b).Warn("a b", "wait", 90*time.Second)
			if source := strings.Contains(b.String(), "source"); source != (level == "debug") {
				t.Errorf("%s at %s: %s", format, level, b.String())
			}
			if level != "debug" && !regexp.MustCompile(want).MatchString(b.String()) {
				t.Errorf("%s at %s: got %s, want a match of %s", format, level, b.String(), want)
			}
		}
	}
}
