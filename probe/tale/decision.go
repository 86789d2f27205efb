package tale

import (
	"fmt"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Decision says what followed the i-th attempt of a run, and by which rule: the first line says what,
// and why; others say what is to be known beside it.
func Decision(r *probe.Result, i int) []Line {
	a := &r.Attempts[i]
	switch {
	case a.OK && r.Stop == retry.StopSuccess:
		return []Line{{Text: "passed, so the run ends"}}
	case a.OK:
		return []Line{ended(r, i)}
	case resent(r, i):
		return []Line{transparent(r, i)}
	case i+1 < len(r.Attempts):
		return retried(r, i)
	case a.WaitSource != "":
		return []Line{planned(r, a)}
	}
	return []Line{ended(r, i)}
}

// retried says why another attempt was worth it, and why it was safe.
func retried(r *probe.Result, i int) []Line {
	a := &r.Attempts[i]
	why := worth(r.Probe, a)
	lines := []Line{{"retried: " + why.Text, why.Key}}
	if r.Attempts[i+1].Ambiguous {
		return append(lines, Line{fmt.Sprintf(
			"ambiguous: %s was sent and not answered, so nobody can tell whether it was processed, and it may now be processed twice; an idempotency key prevents that, and so does retry.unsafe: before_send",
			request(a)), "retry.unsafe"})
	}
	return append(lines, safe(r.Probe, a))
}

// safe says why what was sent may be sent again.
func safe(p *probe.Probe, a *probe.Attempt) Line {
	switch {
	case a.Repeatable && a.Method == "":
		return Line{Text: "safe: a " + p.Kind + " probe may be held again"}
	case a.Repeatable && probe.Idempotent(a.Method):
		return Line{Text: "safe: sending " + a.Method + " twice does what sending it once does"}
	case a.Repeatable:
		return Line{"safe: " + a.Method + " bears an idempotency key", p.Kind + ".idempotency_key"}
	case a.Evidence == probe.NeverSent:
		return Line{"safe: no byte of " + request(a) + " had left", "retry.unsafe"}
	}
	return Line{"safe: the peer guarantees that " + request(a) + " was not processed", "retry.unsafe"}
}

// request is what an attempt sent; the last of its requests, where it was led on before that was answered.
func request(a *probe.Attempt) string {
	switch {
	case a.Method == "":
		return "the request"
	case a.HTTP != nil && len(a.HTTP.Hops) > 0 && a.Evidence != probe.Answered:
		return "the " + a.Method + " that the redirect led to"
	}
	return "the " + a.Method
}

// worth says why another attempt is worth it, or is not, and which key of the file governs that.
func worth(p *probe.Probe, a *probe.Attempt) Line {
	if override, ok := p.Transient[a.Reason]; ok {
		list := map[bool]string{true: "retry.transient", false: "retry.permanent"}[override]
		return Line{fmt.Sprintf("%s is in %s", a.Reason, list), list}
	}
	if a.Reason == probe.ReasonStatus && a.HTTP != nil {
		return status(p, a)
	}
	switch {
	case a.Reason == probe.ReasonTLSCertUntrusted && !a.Transient:
		key := p.Kind + ".tls.ca_file"
		return Line{string(a.Reason) + " is permanent; if its issuer is one of yours, name it in tls.ca_file", key}
	case a.Reason == probe.ReasonProxyStatus:
		is := map[bool]string{true: "is", false: "is not"}[a.Transient]
		return Line{"the proxy's status " + is + " in retryable_status", p.Kind + ".retryable_status"}
	case a.Transient && a.Reason.Transient():
		return Line{string(a.Reason) + " is transient, unless retry.permanent has it", "retry.permanent"}
	case !a.Transient && !a.Reason.Transient():
		return Line{string(a.Reason) + " is permanent, unless retry.transient has it", "retry.transient"}
	case a.Transient:
		return Line{string(a.Reason) + " is transient here, for the other side may have been about to say more", "retry.permanent"}
	}
	return Line{string(a.Reason) + " is permanent here, for what came will come again", "retry.transient"}
}

func status(p *probe.Probe, a *probe.Attempt) Line {
	key := p.Kind + ".retryable_status"
	if !a.Transient {
		return Line{fmt.Sprintf("%d is not in retryable_status", a.HTTP.Status), key}
	}
	if a.HTTP.Status == 409 && a.Repeatable && !probe.Idempotent(a.Method) {
		return Line{"409 is in retryable_status, where an idempotency key puts it", p.Kind + ".idempotency_key"}
	}
	return Line{fmt.Sprintf("%d is in retryable_status", a.HTTP.Status), key}
}

// transparent explains an attempt that a connection library would have made unseen.
func transparent(r *probe.Result, i int) Line {
	a := &r.Attempts[i]
	text := "sent again at once on a fresh connection, which is not charged to retry.attempts: "
	switch {
	case a.Evidence == probe.Refused:
		text += "the peer guarantees that it did not process " + request(a)
	case a.Evidence == probe.NeverSent:
		text += "the kept connection had died, and no byte of " + request(a) + " had left"
	default:
		text += "the kept connection had died, and " + request(a) + " may be sent twice"
	}
	return Line{text, "retry.transparent"}
}

// planned is a retry that was decided on, and did not come about.
func planned(r *probe.Result, a *probe.Attempt) Line {
	why := worth(r.Probe, a)
	text := fmt.Sprintf("to be retried after %s (%s), but %s", span(a.Wait), why.Text, cut(r))
	return Line{text, cutKey(r.Stop)}
}

// cut says what ended a run from outside.
func cut(r *probe.Result) string {
	switch r.Stop {
	case retry.StopDeadline:
		return fmt.Sprintf("the run's deadline of %s passed", span(r.Probe.Policy.Deadline))
	case retry.StopBatchDeadline:
		return "the batch's deadline passed"
	}
	return "the run was interrupted"
}

func cutKey(stop retry.Stop) string {
	if stop == retry.StopDeadline {
		return "deadline"
	}
	return ""
}

// ended says why the i-th attempt was the last.
func ended(r *probe.Result, i int) Line {
	a, p := &r.Attempts[i], r.Probe
	policy := &p.Policy
	switch r.Stop {
	case retry.StopPermanent:
		why := worth(p, a)
		return Line{"not retried: " + why.Text, why.Key}
	case retry.StopAttempts:
		return Line{fmt.Sprintf("not retried: %s", spent(policy.Attempts)), "retry.attempts"}
	case retry.StopUnsafeAfterResponse:
		return Line{fmt.Sprintf("not retried: %s was answered, so sending it again may do its work twice", unsafe(a)), unsafeKey(p, a)}
	case retry.StopUnsafeAfterSend:
		return Line{fmt.Sprintf("not retried: %s was sent, and retry.unsafe is %s", unsafe(a), policy.Unsafe), "retry.unsafe"}
	case retry.StopUnsafeMethod:
		return Line{fmt.Sprintf("not retried: retry.unsafe is never, and this is %s", unsafe(a)), "retry.unsafe"}
	case retry.StopNotReplayable:
		return Line{Text: "not retried: the same bytes cannot be had again"}
	case retry.StopRetryAfterOverMax:
		return Line{fmt.Sprintf("not retried: %s asked to wait %s%s, more than the %s that retry.retry_after.max allows", asker(a), span(a.Asked), by(a), span(policy.RetryAfter.Max)), "retry.retry_after.above"}
	case retry.StopDeadlineWouldPass:
		return noRoom(r, i)
	case retry.StopBudget:
		return Line{"not retried: the retry budget of its host is spent for now", "retry.budget"}
	}
	return Line{"ended: " + cut(r), cutKey(r.Stop)}
}

func spent(attempts int) string {
	switch {
	case attempts <= 1:
		return "one attempt is all that retry.attempts allows"
	case attempts == 2:
		return "both attempts that retry.attempts allows are made"
	}
	return fmt.Sprintf("all %d attempts that retry.attempts allows are made", attempts)
}

// unsafe is what was sent and is not safe to send again.
func unsafe(a *probe.Attempt) string {
	if a.Method == "" {
		return "what is not safe to send twice"
	}
	return a.Method + " without an idempotency key"
}

// unsafeKey is the key that makes it safe; kinds without methods may have none.
func unsafeKey(p *probe.Probe, a *probe.Attempt) string {
	if a.Method == "" {
		return ""
	}
	return p.Kind + ".idempotency_key"
}

// noRoom says that the next wait, at its shortest, would have outlasted the run.
func noRoom(r *probe.Result, i int) Line {
	a, policy := &r.Attempts[i], &r.Probe.Policy
	wait := policy.Backoff.Wait(a.Number, previous(r, i), 0)
	if asked, obeyed, _ := policy.RetryAfter.Judge(a.Asked, a.HasAsked); obeyed {
		wait = max(wait, asked)
	}
	end, key := "the batch's deadline", ""
	if d := policy.Deadline; d > 0 && elapsed(r, i)+wait+policy.Backoff.Jitter >= d {
		end, key = "the deadline of "+span(d), "deadline"
	}
	return Line{fmt.Sprintf("not retried: the next wait of at least %s would not end before %s, and %s had passed", span(wait), end, span(elapsed(r, i))), key}
}

// elapsed is how long the run had lasted when the i-th attempt ended.
func elapsed(r *probe.Result, i int) time.Duration {
	a := &r.Attempts[i]
	return a.Started.Add(a.Duration).Sub(r.Started)
}
