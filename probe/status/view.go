package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sonde/probe"
)

// view is a copy of what the page shows.
type view struct {
	Version string
	Notice  string // of a file that was refused; empty when none was
	Share   string // which part of the probes this is; empty when it is all
	Missing string // why the one that was asked for is not in Rows
	Rows    []line
	Tries   []try // of the last failure, where one probe alone was asked for

	Problems []string // of the file that was refused, the first few
}

// line is one probe of the page.
type line struct {
	Name, Group, Kind, Target, Description string

	Verdict  probe.Verdict // empty before the first run
	Attempts string        // such as 2 of 4
	Took     string
	Ended    time.Time
	History  history

	Reason   probe.Reason // of the last failure; empty when there was none
	Error    string
	FailedAt time.Time
	tries    []try
}

// view copies the board, worst first.
func (b *Board) view() view {
	v := view{Version: b.version}
	v.Notice, v.Problems = b.file.notice()
	b.mu.RLock()
	rows := make([]*row, 0, len(b.rows))
	for _, r := range b.rows {
		rows = append(rows, r)
	}
	b.mu.RUnlock()
	for _, r := range rows {
		v.Rows = append(v.Rows, r.line())
	}
	slices.SortFunc(v.Rows, worstFirst)
	return v
}

func (r *row) line() line {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := line{
		Name: cleanText(r.probe.Name), Group: cleanText(r.probe.Group), Kind: cleanText(r.probe.Kind),
		Target: cleanText(r.probe.Target), Description: cleanText(r.probe.Description),
		Verdict: r.history.newest(), History: r.history,
	}
	if f := r.failure; f != nil {
		l.Reason, l.Error, l.FailedAt = f.reason, f.reason.Beside(f.text), f.ended
		l.tries = f.tries
	}
	if l.Verdict != "" {
		l.Ended = time.Unix(0, r.last.ended)
		l.Attempts = fmt.Sprintf("%d of %d", r.last.attempts, max(1, r.probe.Policy.Attempts))
		l.Took = roughly(r.last.took)
	}
	return l
}

// ranks orders verdicts from worst to best; a probe that has not yet run stands before those that are up.
var ranks = map[probe.Verdict]int{probe.Down: 0, probe.Unknown: 1, probe.Flaky: 2, "": 3, probe.Up: 4}

func worstFirst(a, b line) int {
	return cmp.Or(cmp.Compare(ranks[a.Verdict], ranks[b.Verdict]), cmp.Compare(a.Name, b.Name))
}

// Word is the verdict in a word or two.
func (l line) Word() string {
	if l.Verdict == "" {
		return "not yet run"
	}
	return string(l.Verdict)
}

// Class names the verdict to the style sheet.
func (l line) Class() string { return cmp.Or(string(l.Verdict), "pending") }

// Shape is the verdict's shape.
func (l line) Shape() string { return shape(l.Verdict) }

// Runs are the shapes of the last runs, oldest first, neighbours of one verdict together.
func (l line) Runs() []mark {
	var marks []mark
	for _, v := range l.History.list() {
		if last := len(marks) - 1; last >= 0 && marks[last].Class == string(v) {
			marks[last].Shapes += shape(v)
			continue
		}
		marks = append(marks, mark{string(v), shape(v)})
	}
	return marks
}

// mark is runs of one verdict in the strip of the last ones.
type mark struct{ Class, Shapes string }

// Sentence says how all is, in words: `3 down, 1 flaky, 94 up`.
func (v view) Sentence() string {
	if len(v.Rows) == 0 {
		return v.none()
	}
	var parts []string
	for i := 0; i < len(v.Rows); {
		word, n := v.Rows[i].Word(), 0
		for ; i < len(v.Rows) && v.Rows[i].Word() == word; i++ {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, word))
	}
	return strings.Join(parts, ", ")
}

// Newest is when the newest run ended; zero before the first one.
func (v view) Newest() time.Time {
	var newest time.Time
	for _, l := range v.Rows {
		if l.Ended.After(newest) {
			newest = l.Ended
		}
	}
	return newest
}
