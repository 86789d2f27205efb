package metrics

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"sonde/probe"
)

// fact is a number of the last run that says something of the target, exported under the name that
// blackbox_exporter gives it.
type fact int

const (
	factSuccess fact = iota
	factDuration
	factLookup
	factIPProtocol
	factStatus
	factVersion
	factSSL
	factRedirects
	factContentLength
	factBodyLength
	factLastModified
	factCertExpiry
	factChainExpiry
	factResolve // the five phases, in the order of phases
	factConnect
	factTLS
	factProcessing
	factTransfer
	numFacts
)

// phases are the values of the label phase: blackbox_exporter's phases of an HTTP request.
var phases = []string{"resolve", "connect", "tls", "processing", "transfer"}

// factSheet is the facts of one run. What is not known has no series.
type factSheet struct {
	known      uint32
	values     [numFacts]float64
	tlsVersion string // empty when not known
}

func (s *factSheet) set(f fact, v float64) {
	s.known |= 1 << f
	s.values[f] = v
}

// setTime sets a fact to seconds since 1970; the zero time is not known.
func (s *factSheet) setTime(f fact, t time.Time) {
	if !t.IsZero() {
		s.set(f, float64(t.Unix()))
	}
}

func (s *factSheet) get(f fact) (v float64, known bool) { return s.values[f], s.known&(1<<f) != 0 }

// kindHTTP is the kind whose runs have the probe_http_* facts also when no response came.
const kindHTTP = "http"

// fill notes the facts of a run: the whole run's success and duration, and what its last attempt saw.
func (s *factSheet) fill(r *probe.Result) {
	s.set(factSuccess, 0)
	if r.Verdict.Passed() {
		s.set(factSuccess, 1)
	}
	s.set(factDuration, r.Duration.Seconds())
	last := r.Last()
	if last == nil {
		last = &probe.Attempt{}
	}
	s.set(factLookup, last.Phases[probe.PhaseResolve].Seconds())
	s.set(factIPProtocol, ipProtocol(last.RemoteAddress))
	if r.Probe.Kind == kindHTTP || last.HTTP != nil {
		s.http(last)
	}
	if t := last.TLS; t != nil {
		s.tlsVersion = t.Version
		s.setTime(factCertExpiry, t.EarliestExpiry)
		s.setTime(factChainExpiry, t.LastChainExpiry)
	}
}

// http are the facts of an HTTP attempt; they are 0 when no response came.
func (s *factSheet) http(a *probe.Attempt) {
	s.timings(a)
	h := a.HTTP
	if h == nil {
		h = &probe.HTTP{}
	}
	s.set(factStatus, float64(h.Status))
	s.set(factVersion, httpVersion(h.Version))
	s.set(factSSL, 0)
	if a.HTTP != nil && a.TLS != nil {
		s.set(factSSL, 1)
	}
	s.set(factRedirects, float64(len(h.Hops)))
	s.set(factContentLength, float64(h.ContentLength))
	s.set(factBodyLength, float64(h.BodyBytes))
	s.setTime(factLastModified, h.LastModified)
}

// timings are the phases as blackbox_exporter cuts them: processing spans from a usable connection to
// the response, and time in our own queue belongs to none.
func (s *factSheet) timings(a *probe.Attempt) {
	s.set(factResolve, a.Phases[probe.PhaseResolve].Seconds())
	s.set(factConnect, a.Phases[probe.PhaseConnect].Seconds())
	s.set(factTLS, a.Phases[probe.PhaseTLS].Seconds())
	s.set(factProcessing, (a.Phases[probe.PhaseWrite] + a.Phases[probe.PhaseWait]).Seconds())
	s.set(factTransfer, a.Phases[probe.PhaseTransfer].Seconds())
}

// ipProtocol is 4 or 6, and 0 when there was no address.
func ipProtocol(address string) float64 {
	if address == "" {
		return 0
	}
	a, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return 0
	case a.Addr().Unmap().Is4():
		return 4
	}
	return 6
}

// httpVersion is 1.1 for HTTP/1.1, and 0 for what is no version.
func httpVersion(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "HTTP/"), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
