package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"

	"github.com/prometheus/common/promslog"
)

// logFlags are the flags that say what is logged and how; Prometheus' programs have the same.
type logFlags struct {
	Level  string `name:"log.level" enum:"debug,info,warn,error" default:"${level}" placeholder:"LEVEL" help:"What to log: ${enum} (default: ${default})."`
	Format string `name:"log.format" enum:"logfmt,json" default:"logfmt" placeholder:"FORMAT" help:"How to log: ${enum} (default: ${default})."`
}

// logger makes the program's logger, whose lines nobody waits for. It also takes what libraries write to the
// standard logger, such as net/http of a peer's garbage: at debug, for it would drown what matters.
func (f logFlags) logger(q *logQueue) *slog.Logger {
	q.tellsLost(func(lines int) []byte {
		var b bytes.Buffer
		f.newLogger(&b).Error("lines of log are lost here: standard error took none for a while", "lines", lines)
		return b.Bytes()
	})
	l := f.newLogger(logLines{q})
	log.SetFlags(0)
	log.SetOutput(lineLogger{l})
	return l
}

// newLogger is promslog's at debug, where its source=FILE:LINE is of use to who reads the code. At all
// other levels a line is the same without it; promslog has no option for that.
func (f logFlags) newLogger(w io.Writer) *slog.Logger {
	level, format := promslog.NewLevel(), promslog.NewFormat()
	level.Set(f.Level)   // kong has checked both
	format.Set(f.Format) // against the same lists
	options := &slog.HandlerOptions{Level: level.Level(), ReplaceAttr: readable}
	switch {
	case f.Level == "debug":
		return promslog.New(&promslog.Config{Level: level, Format: format, Writer: w})
	case f.Format == "json":
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// readable writes durations as Go does, in JSON too, as promslog has it.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// lineLogger logs the lines of a standard logger at debug, but a panic as the error it is.
type lineLogger struct{ log *slog.Logger }

// Write logs one line.
func (l lineLogger) Write(line []byte) (int, error) {
	level := slog.LevelDebug
	if bytes.Contains(line, []byte("panic")) {
		level = slog.LevelError
	}
	l.log.Log(context.Background(), level, "from a library", "line", clean(string(line)))
	return len(line), nil
}
