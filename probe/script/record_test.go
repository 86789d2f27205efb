package script_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/probe/retry"
	"sonde/probe/script"
	"sonde/schema"
	"syscall"
)

// load is the probe of a name in a config.
func load(t *testing.T, config string, all []probe.Kind, name string) *probe.Probe {
	t.Helper()
	dir := t.TempDir()
	theAuthority.write(t, dir)
	set, err := schema.Parse(filepath.Join(dir, "probes.yaml"), []byte(config), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Probes {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("the config has no probe %s", name)
	return nil
}

// play plays a test over the scripted network.
func play(t *testing.T, config string, test *script.Test) script.Played {
	t.Helper()
	n := script.New()
	return n.Play(t.Context(), load(t, config, kinds.Over(n, "1.2.3"), test.Probe), test)
}

// record is what the two networks must agree on, of a run.
type record struct {
	Verdict  probe.Verdict
	Reason   probe.Reason
	Stop     retry.Stop
	Duration time.Duration
	Requests int
	Attempts []attempt
}

// attempt is what they must agree on of an attempt. Errors are their texts, but of certificates.
type attempt struct {
	Started time.Duration
	probe.Attempt
	Err       string
	Addresses []string
	HTTP      probe.HTTP
}

// recordOf is the record of a run, with times to the microsecond.
func recordOf(p script.Played) record {
	r := p.Result
	out := record{r.Verdict, r.Reason, r.Stop, r.Duration.Round(time.Microsecond), p.Requests, nil}
	for _, a := range r.Attempts {
		one := attempt{Attempt: a, Err: textOf(&a), Started: a.Started.Sub(r.Started).Round(time.Microsecond)}
		one.Attempt.Started, one.Attempt.Err, one.Attempt.HTTP, one.Attempt.TLS = time.Time{}, nil, nil, nil
		one.Attempt.Duration, one.Attempt.Waited = a.Duration.Round(time.Microsecond), a.Waited.Round(time.Microsecond)
		for i, d := range a.Phases {
			one.Phases[i] = d.Round(time.Microsecond)
		}
		for _, tried := range a.Addresses {
			one.Addresses = append(one.Addresses, tried.Address+" "+leaf(tried.Err))
		}
		one.Attempt.Addresses = nil
		if a.HTTP != nil {
			one.HTTP = *a.HTTP
		}
		out.Attempts = append(out.Attempts, one)
	}
	return out
}

// textOf is the text of an attempt's error. What is wrong with a certificate is told
// with names and times that a script does not know.
func textOf(a *probe.Attempt) string {
	switch {
	case a.Err == nil:
		return ""
	case strings.HasPrefix(string(a.Reason), "tls_cert_"):
		return leaf(a.Err)
	}
	return a.Err.Error()
}

// leaf names what an error leads to.
func leaf(err error) string {
	var limit *conn.LimitError
	var failure *conn.Failure
	switch {
	case err == nil:
		return ""
	case errors.As(err, &limit):
		return limit.Error()
	case errors.As(err, &failure):
		return failure.Error()
	}
	for _, known := range []error{
		retry.ErrDeadline, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTUNREACH, syscall.ETIMEDOUT, io.ErrUnexpectedEOF, io.EOF,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "another"
}
