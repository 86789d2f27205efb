package main

import (
	"fmt"
	"strings"

	"sonde/probe"
	"sonde/probe/retry"
	"sonde/probe/tale"
)

// failure writes what went wrong.
func (x *teller) failure(r *probe.Result, a *probe.Attempt) {
	if a.OK {
		return
	}
	if want, got, ok := wantGot(errorText(a.Err)); ok {
		x.field("expected", want, "")
		x.field("found", got, "")
	} else {
		x.field("failed", fmt.Sprintf("in phase %s: %s", a.Phase, errorText(a.Err)), "")
	}
	if line, ok := tale.Fired(r.Probe, a); ok {
		x.field("limit", line.Text, line.Key)
	}
	// A wait that was obeyed is told as one, and one that ended the run is why there is no other attempt.
	if line, ok := tale.Asked(r.Probe, a); ok && a.WaitSource == "" && r.Stop != retry.StopRetryAfterOverMax {
		x.field("asked", line.Text, line.Key)
	}
	if sent, ok := evidenceText[a.Evidence]; ok {
		x.field("sent", sentText(a, sent), "")
	}
}

// sentText is what was sent, of which the evidence is that of the last request.
func sentText(a *probe.Attempt, evidence string) string {
	switch n := len(hopsOf(a)); n {
	case 0:
		return evidence
	case 1:
		return "the first request was, and was redirected; the one that followed: " + evidence
	default:
		return fmt.Sprintf("the first %d requests were, and were redirected; the one that followed: %s", n, evidence)
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
			return ofHeader(text[:i]) + text[i+len(between):], text[:i], true
		}
	}
	return "", "", false
}

// ofHeader is the name of the header that an error is about, before what it should be; empty of another.
func ofHeader(got string) string {
	rest, is := strings.CutPrefix(got, "header ")
	name, _, hasName := strings.Cut(rest, " is ")
	if !is || !hasName {
		return ""
	}
	return "header " + name + ": "
}
