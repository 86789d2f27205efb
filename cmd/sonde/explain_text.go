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

// tell writes one run. A proxy is what its probe goes through; empty is none.
func (x *teller) tell(r *probe.Result, enabled bool, proxy string) {
	p := r.Probe
	x.heading("\x1b[1m", fmt.Sprintf("%s (%s) at %s", p.Name, p.Kind, p.Target))
	x.field("declared", fmt.Sprintf("%s, to run every %s", p.Source, exact(p.Interval)), "")
	if proxy != "" {
		x.field("proxy", proxy, "")
	}
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
	x.connection(a)
	x.secure(a)
	x.answer(a)
	x.failure(r.Probe, a)
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

// failure writes what went wrong.
func (x *teller) failure(p *probe.Probe, a *probe.Attempt) {
	if a.OK {
		return
	}
	if want, got, ok := wantGot(errorText(a.Err)); ok {
		x.field("expected", want, "")
		x.field("found", got, "")
	} else {
		x.field("failed", fmt.Sprintf("in phase %s: %s", a.Phase, errorText(a.Err)), "")
	}
	if line, ok := tale.Fired(p, a); ok {
		x.field("limit", line.Text, line.Key)
	}
	if line, ok := tale.Asked(p, a); ok && a.WaitSource == "" {
		x.field("asked", line.Text, line.Key)
	}
	if sent, ok := evidenceText[a.Evidence]; ok {
		x.field("sent", sent, "")
	}
}

// evidenceText says how far an attempt got that has no answer.
var evidenceText = map[probe.Evidence]string{
	probe.NeverSent:  "nothing of it had left (never_sent)",
	probe.Refused:    "the peer guarantees that it was not processed (refused)",
	probe.Unanswered: "yes, and not a byte of an answer came (unanswered)",
}

// bodyWants are the errors of a body that name what was looked for alone.
var bodyWants = []struct{ begin, want, got string }{
	{"body does not contain ", "a body that contains ", "a body that does not"},
	{"body contains ", "a body that does not contain ", "a body that does"},
	{"body does not match ", "a body that matches ", "a body that does not"},
	{"body matches ", "a body that does not match ", "a body that does"},
}

// wantGot takes an error apart that says "GOT, want WANT", outside of what it quotes.
func wantGot(text string) (want, got string, ok bool) {
	for _, b := range bodyWants {
		if rest, is := strings.CutPrefix(text, b.begin); is {
			return b.want + rest, b.got, true
		}
	}
	const between = ", want "
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], between):
			return text[i+len(between):], text[:i], true
		}
	}
	return "", "", false
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
		return fmt.Sprintf("It is disabled (enabled: false in %s), so sonde run leaves it out.", p.Source)
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
