package main

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/tale"
)

// teller writes what a run was, for a person. What it writes of a target goes through clean.
type teller struct {
	width         int
	colour, ascii bool
	now           time.Time
	b             strings.Builder
}

// labelWidth fits the labels before what is told.
const labelWidth = len("certificate")

// tell writes one run.
func (x *teller) tell(r *probe.Result, enabled bool) {
	p := r.Probe
	x.heading("\x1b[1m", fmt.Sprintf("%s (%s) at %s", p.Name, p.Kind, p.Target))
	x.field("declared", declaredText(p, enabled), "")
	x.field("limits", limitsText(p), "")
	x.field("run", runText(p), "")
	if len(r.Attempts) > 1 {
		x.b.WriteString("\n")
		x.course(r)
	}
	for i := range r.Attempts {
		x.b.WriteString("\n")
		x.attempt(r, i)
	}
	x.b.WriteString("\n")
	x.ending(r, enabled)
}

// declaredText is where a probe is declared, and when it runs.
func declaredText(p *probe.Probe, enabled bool) string {
	if !enabled {
		return p.Source + ", disabled (enabled: false)"
	}
	return fmt.Sprintf("%s, to run every %s", p.Source, exact(p.Interval))
}

// limitsText is the four limits of an attempt.
func limitsText(p *probe.Probe) string {
	var list []string
	for _, l := range tale.Limits(p) {
		if l.Spans > 0 {
			list = append(list, fmt.Sprintf("%s %s", l.Name, exact(l.Spans)))
		} else {
			list = append(list, string(l.Name)+" none")
		}
	}
	return strings.Join(list, ", ")
}

// runText is what bounds a run.
func runText(p *probe.Probe) string {
	text := "at most " + count(max(1, p.Policy.Attempts), "attempt")
	if p.Policy.Deadline > 0 {
		text += " within the deadline of " + exact(p.Policy.Deadline)
	}
	return text
}

// attempt writes one attempt, and the wait after it.
func (x *teller) attempt(r *probe.Result, i int) {
	a := &r.Attempts[i]
	what, colour := "passed", looks[probe.Up].colour
	if !a.OK {
		what, colour = string(a.Reason), looks[probe.Down].colour
	}
	if a.Reason.Blame() != probe.OfTarget {
		colour = looks[probe.Unknown].colour
	}
	x.heading(colour, fmt.Sprintf("%s, at %s: %s", tale.Number(r, i), sinceStart(r, i), what))
	x.waterfall(a)
	x.connection(r, i)
	x.secure(a)
	x.answer(a)
	x.failure(r, a)
	for j, line := range tale.Decision(r, i) {
		x.field(map[bool]string{true: "decided"}[j == 0], line.Text, line.Key)
	}
	x.wait(r, i)
}

// sinceStart is when in its run an attempt began; the first began with it.
func sinceStart(r *probe.Result, i int) string {
	if i == 0 {
		return "0s"
	}
	return short(r.Attempts[i].Started.Sub(r.Started))
}

func (x *teller) wait(r *probe.Result, i int) {
	a := &r.Attempts[i]
	line, ok := tale.Wait(r, i)
	if !ok {
		return
	}
	if a.Waited < a.Wait {
		line.Text += fmt.Sprintf("; %s of it had passed when the run was ended", short(a.Waited))
	}
	x.field("waits", line.Text, line.Key)
}

// ending writes the verdict, the sentence, and what comes next.
func (x *teller) ending(r *probe.Result, enabled bool) {
	look := looks[r.Verdict]
	verdict := look.shape + " " + string(r.Verdict)
	if r.Reason != "" {
		verdict += fmt.Sprintf(" (reason %s, stop %s)", r.Reason, r.Stop)
	}
	x.heading(look.colour, verdict)
	x.paragraph(batchless(tale.Sentence(r)))
	x.paragraph(x.next(r.Probe, enabled))
}

// batchless calls the batch's deadline what who has typed it knows.
func batchless(text string) string {
	return strings.ReplaceAll(text, "the batch's deadline", "the deadline of --deadline")
}

// next says when sonde run would run it again.
func (x *teller) next(p *probe.Probe, enabled bool) string {
	if !enabled {
		return "It is disabled, so sonde run and sonde once leave it out."
	}
	due := probe.NextDue(p.Name, p.Interval, x.now)
	return fmt.Sprintf("In sonde run it is due every %s, next at %s, in %s.", exact(p.Interval), due.Local().Format("15:04:05"), short(due.Sub(x.now)))
}

// heading writes a line from the margin on.
func (x *teller) heading(colour, text string) {
	for _, line := range wrap(clean(text), x.width, 20) {
		x.b.WriteString(x.painted(colour, line) + "\n")
	}
}

// painted is a text in a colour, where colours are on.
func (x *teller) painted(colour, text string) string {
	if !x.colour {
		return text
	}
	return colour + text + "\x1b[0m"
}

// paragraph writes a text from the margin on.
func (x *teller) paragraph(text string) {
	for _, line := range wrap(clean(text), x.width, 20) {
		x.b.WriteString(line + "\n")
	}
}

// mostLines is how many lines one thing told may take.
const mostLines = 8

// field writes something told, behind its label, with the key of the file that governs it.
func (x *teller) field(label, text, key string) {
	text = batchless(clean(text))
	if key != "" && !strings.Contains(text, key) {
		text += " [" + key + "]"
	}
	for _, line := range wrap(text, x.width-labelWidth-4, mostLines) {
		fmt.Fprintf(&x.b, "  %s  %s\n", pad(label, labelWidth), line)
		label = ""
	}
}

// asciiFor is how a drawing looks where only ASCII is understood.
var asciiFor = map[rune]rune{'█': '#', '·': '.', '…': '~', '■': 'X', '◆': '!', '●': '*', '→': '>'}

// text is all that was written.
func (x *teller) text() string {
	if !x.ascii {
		return x.b.String()
	}
	return strings.Map(func(r rune) rune {
		switch plain, ok := asciiFor[r]; {
		case ok:
			return plain
		case r > '~':
			return '?'
		}
		return r
	}, x.b.String())
}
