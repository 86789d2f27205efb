package main

import (
	"errors"
	"strings"

	"sonde/probe"
	"sonde/probe/retry"
)

// This file says of a result what log, table, JSON and JUnit all need to know.

// errorText is the text of an error on one line. Of a run it leaves out what the fields beside it say:
// probe, target and count.
func errorText(err error) string {
	var run *probe.RunError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &run) && run.Err == nil:
		return "no attempt was made"
	case errors.As(err, &run):
		err = run.Err
	}
	text := err.Error()
	if errors.Is(err, retry.ErrBatchDeadline) {
		// A batch is what the engine calls it; who reads this has typed a flag.
		text = strings.ReplaceAll(text, retry.ErrBatchDeadline.Error(), "the deadline of --deadline has passed")
	}
	return clean(text)
}

// firstFailure is the failure for which a flaky run had to be retried; nil when there was none.
func firstFailure(r *probe.Result) *probe.Attempt {
	for i := range r.Attempts {
		if a := &r.Attempts[i]; !a.OK && a.Reason.Blame() == probe.OfTarget {
			return a
		}
	}
	return nil
}

// stackOf is where a prober panicked; empty when none did.
func stackOf(r *probe.Result) string {
	var p *probe.PanicError
	if errors.As(r.Err, &p) {
		return string(p.Stack)
	}
	return ""
}

// canceled is true of a run that was given up, which says nothing worth printing.
func canceled(r *probe.Result) bool { return r.Stop == retry.StopCanceled }
