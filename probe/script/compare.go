package script

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe"
)

// Mismatch is one thing that came out otherwise than wanted.
type Mismatch struct {
	// Place is the path of what was wanted, below the test, such as want.each[0].reason.
	Place string
	// Got and Want are the two, as texts for people.
	Got, Want string
}

// String is the mismatch without its place in the file.
func (m Mismatch) String() string {
	_, what, _ := strings.Cut(m.Place, ".")
	return fmt.Sprintf("%s: got %s, want %s", what, m.Got, m.Want)
}

// Compare holds what came of a run against what is wanted of it. What is not named is not compared.
func (w *Want) Compare(p Played) []Mismatch {
	c, r := comparison{place: "want"}, p.Result
	same(&c, "verdict", r.Verdict, (*probe.Verdict)(w.Verdict))
	same(&c, "reason", r.Reason, (*probe.Reason)(w.Reason))
	same(&c, "stop", Stop(r.Stop), w.Stop)
	same(&c, "attempts", r.Charged(), w.Attempts)
	same(&c, "transparent", len(r.Attempts)-r.Charged(), w.Transparent)
	same(&c, "requests", p.Requests, w.Requests)
	c.waits(waitsOf(r), w.Waits)
	c.duration("duration", r.Duration, w.Duration)
	c.text("error", r.Err, w.Error)
	c.each(r, w.Each)
	return c.found
}

// comparison gathers mismatches below a place.
type comparison struct {
	place string
	found []Mismatch
}

func (c *comparison) differ(what, got, want string) {
	c.found = append(c.found, Mismatch{Place: c.place + "." + what, Got: got, Want: want})
}

// same compares a value with one that may be wanted.
func same[T comparable](c *comparison, what string, got T, want *T) {
	if want != nil && got != *want {
		c.differ(what, shown(got), shown(*want))
	}
}

// shown is a value as people read it; the empty text is written as in a file.
func shown(v any) string {
	if text := fmt.Sprint(v); text != "" {
		return text
	}
	return `""`
}

// precision is what two durations may differ by: a file has no more digits than people write.
const precision = time.Microsecond

func equal(a time.Duration, b Span) bool {
	d := a - time.Duration(b)
	return d < precision && d > -precision
}

func (c *comparison) duration(what string, got time.Duration, want *Span) {
	if want != nil && !equal(got, *want) {
		c.differ(what, got.String(), want.String())
	}
}

// text wants a part of an error's text.
func (c *comparison) text(what string, got error, want *string) {
	text := ""
	if got != nil {
		text = got.Error()
	}
	switch {
	case want == nil:
	case *want == "" && text != "":
		c.differ(what, shown(text), "none")
	case !strings.Contains(text, *want):
		c.differ(what, shown(text), "one that contains "+*want)
	}
}

// waitsOf are the planned waits of a run.
func waitsOf(r *probe.Result) []time.Duration {
	waits := []time.Duration{}
	for i := range r.Attempts {
		if a := &r.Attempts[i]; a.WaitSource != "" {
			waits = append(waits, a.Wait)
		}
	}
	return waits
}

func (c *comparison) waits(got []time.Duration, want []Span) {
	if want == nil {
		return
	}
	differ := len(got) != len(want)
	for i := range min(len(got), len(want)) {
		differ = differ || !equal(got[i], want[i])
	}
	if differ {
		c.differ("waits", fmt.Sprint(got), fmt.Sprint(want))
	}
}

// each compares attempt by attempt.
func (c *comparison) each(r *probe.Result, want []WantAttempt) {
	if want != nil && len(want) != len(r.Attempts) {
		c.differ("each", countOf(len(r.Attempts)), countOf(len(want)))
	}
	for i := range min(len(want), len(r.Attempts)) {
		one := comparison{place: fmt.Sprintf("%s.each[%d]", c.place, i)}
		one.attempt(&r.Attempts[i], &want[i])
		c.found = append(c.found, one.found...)
	}
}

func countOf(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

func (c *comparison) attempt(a *probe.Attempt, w *WantAttempt) {
	same(c, "ok", a.OK, w.OK)
	same(c, "reason", a.Reason, (*probe.Reason)(w.Reason))
	same(c, "transient", a.Transient, w.Transient)
	same(c, "evidence", a.Evidence, (*probe.Evidence)(w.Evidence))
	same(c, "limit", a.Limit, (*probe.Limit)(w.Limit))
	same(c, "phase", phaseOf(a), w.Phase)
	c.duration("duration", a.Duration, w.Duration)
	c.duration("wait", a.Wait, w.Wait)
	same(c, "wait_source", Source(a.WaitSource), w.WaitSource)
	status, hops := 0, 0
	if a.HTTP != nil {
		status, hops = a.HTTP.Status, len(a.HTTP.Hops)
	}
	same(c, "status", status, w.Status)
	same(c, "hops", hops, w.Hops)
	same(c, "reused", a.Reused, w.Reused)
	same(c, "transparent", a.Transparent, w.Transparent)
	c.text("error", a.Err, w.Error)
}

// phaseOf is the phase in which an attempt failed, empty when it passed.
func phaseOf(a *probe.Attempt) Phase {
	if a.OK {
		return ""
	}
	return Phase(a.Phase.String())
}
