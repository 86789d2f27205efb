package tale

import (
	"fmt"
	"strings"

	"sonde/probe"
	"sonde/probe/retry"
)

// Sentence is the run in one plain sentence, for somebody who is tired.
func Sentence(r *probe.Result) string {
	name := r.Probe.Name
	switch r.Verdict {
	case probe.Up:
		return fmt.Sprintf("%s is up: %s.", name, passed(r))
	case probe.Flaky:
		return fmt.Sprintf("%s is flaky: %s; before that, %s.", name, passed(r), failures(r, probe.OfTarget))
	case probe.Down:
		if what := failures(r, probe.OfTarget); what != "" {
			return fmt.Sprintf("%s is down: %s%s; %s.", name, what, detail(r), last(r))
		}
		return fmt.Sprintf("%s is down: %s, and nothing had come by then.", name, last(r))
	}
	return unknown(r)
}

// passed says how a run passed.
func passed(r *probe.Result) string {
	a := r.Last()
	text := fmt.Sprintf("it passed at the first attempt, in %s", span(r.Duration))
	switch {
	case a.Transparent:
		text = fmt.Sprintf("it passed when attempt %d was sent again at once on a fresh connection, which does not count against it", a.Number)
	case a.Number > 1:
		text = fmt.Sprintf("it passed at attempt %d of %d, after %s", a.Number, r.Probe.Policy.Attempts, span(r.Duration))
	}
	if ours := failures(r, probe.Ours); ours != "" {
		text += ", though " + ours + ", which is not the target's fault"
	}
	return text
}

// failures says what the attempts met that failed by a fault of somebody's: "all 3 attempts within 12s got
// 503", "3 attempts within 12s failed: 2 got 503, 1 heard nothing for 5s"; empty when none did.
func failures(r *probe.Result, blame probe.Blame) string {
	var kinds []string
	n := map[string]int{}
	total := 0
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.OK || resent(r, i) || a.Reason.Blame() != blame {
			continue
		}
		what := met(r.Probe, a)
		if n[what]++; n[what] == 1 {
			kinds = append(kinds, what)
		}
		total++
	}
	switch {
	case total == 0:
		return ""
	case len(kinds) == 1:
		return subject(r, total) + " " + singular(kinds[0], total)
	}
	parts := make([]string, len(kinds))
	for i, what := range kinds {
		parts[i] = fmt.Sprintf("%d %s", n[what], singular(what, n[what]))
	}
	return fmt.Sprintf("%s failed: %s", subject(r, total), strings.Join(parts, ", "))
}

// resent is true of an attempt that a transparent one repeats.
func resent(r *probe.Result, i int) bool { return i+1 < len(r.Attempts) && r.Attempts[i+1].Transparent }

// subject is who met it: of n attempts of a run.
func subject(r *probe.Result, n int) string {
	made := 0
	for i := range r.Attempts {
		if !resent(r, i) {
			made++
		}
	}
	all := n == made
	switch {
	case all && n == 1:
		return "the only attempt"
	case n == 1:
		return "one attempt"
	case all && n == 2:
		return fmt.Sprintf("both attempts within %s", span(r.Duration))
	case all:
		return fmt.Sprintf("all %d attempts within %s", n, span(r.Duration))
	}
	return fmt.Sprintf("%d attempts", n)
}

// singular makes a phrase fit for one.
func singular(phrase string, n int) string {
	if rest, ok := strings.CutPrefix(phrase, "were "); ok && n == 1 {
		return "was " + rest
	}
	return phrase
}

// last says why no other attempt followed.
func last(r *probe.Result) string {
	a, p := r.Last(), r.Probe
	switch r.Stop {
	case retry.StopPermanent:
		return "another attempt would meet the same"
	case retry.StopAttempts:
		return "no more attempts are allowed"
	case retry.StopUnsafeAfterResponse, retry.StopUnsafeAfterSend, retry.StopUnsafeMethod:
		return unsafe(a) + " is not sent again, for that might do its work twice"
	case retry.StopNotReplayable:
		return "what was sent cannot be sent again"
	case retry.StopRetryAfterOverMax:
		return fmt.Sprintf("%s asked to wait %s, more than the %s that retry_after.max allows", asker(a), span(a.Asked), span(p.Policy.RetryAfter.Max))
	case retry.StopDeadlineWouldPass:
		return "no other attempt fits in " + room(r)
	case retry.StopBudget:
		return "the retry budget of its host is spent"
	}
	return cut(r)
}

// room is the time that a run has.
func room(r *probe.Result) string {
	if noRoom(r, len(r.Attempts)-1).Key != "" {
		return "the run's deadline of " + span(r.Probe.Policy.Deadline)
	}
	return "what the batch's deadline leaves"
}

// detail is the error of the last attempt, where the phrase alone does not tell enough.
func detail(r *probe.Result) string {
	switch a := r.Last(); a.Reason {
	case probe.ReasonAssertion, probe.ReasonProtocolError, probe.ReasonTLSCertHostname, probe.ReasonTLSCertUntrusted, probe.ReasonTLSCertOther, probe.ReasonTLSAlert,
		probe.ReasonRedirectInvalid, probe.ReasonRedirectLoop, probe.ReasonProxyConnect, probe.ReasonProxyStatus:
		return " (" + text(a.Err) + ")"
	}
	return ""
}

// maxDetail bounds, in runes, an error within a sentence.
const maxDetail = 160

func text(err error) string { return probe.Shorten(err.Error(), maxDetail) }

// unknown is the sentence of a run that says nothing of its target, and what to do.
func unknown(r *probe.Result) string {
	name, do := r.Probe.Name, advice[r.Reason]
	switch {
	case r.Stop == retry.StopCanceled:
		return fmt.Sprintf("Nothing is known of %s: the run was interrupted; %s.", name, do)
	case r.Stop == retry.StopBatchDeadline && r.Reason.Blame() != probe.Ours:
		return fmt.Sprintf("Nothing is known of %s: the batch's deadline passed before there was an answer; %s.", name, advice[probe.ReasonDeadline])
	}
	what := "sonde did not get on"
	if phrase, ok := phrases[r.Reason]; ok {
		what = "the last attempt " + singular(phrase, 1)
		if len(r.Attempts) == 0 {
			what = "no attempt was made in time"
		}
	}
	return fmt.Sprintf("Nothing is known of %s: %s. That is the fault of sonde or of the machine that it runs on, not of the target: %s.", name, what, do)
}
