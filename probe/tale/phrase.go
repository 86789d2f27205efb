package tale

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe"
)

// phrases say what an attempt met, after "all 3 attempts", by reason. %s is how long the limit is.
var phrases = map[probe.Reason]string{
	probe.ReasonDNSNotFound:  "found no such name",
	probe.ReasonDNSTemporary: "got a temporary failure from the resolver",
	probe.ReasonDNSTimeout:   "got no answer from the resolver",
	probe.ReasonDNSServer:    "met a resolver that refuses to answer",

	probe.ReasonConnectRefused:     "found the port closed",
	probe.ReasonConnectUnreachable: "found no route to the host",
	probe.ReasonConnectTimeout:     "got no answer when connecting",

	probe.ReasonTLSClosed:        "lost the connection within the TLS handshake",
	probe.ReasonTLSCertExpired:   "met a certificate that has expired or is not yet valid",
	probe.ReasonTLSCertHostname:  "met a certificate for another name",
	probe.ReasonTLSCertUntrusted: "met a certificate that nobody trusted has signed",
	probe.ReasonTLSCertOther:     "met a certificate chain that is wrong",
	probe.ReasonTLSAlert:         "met a TLS alert",
	probe.ReasonTLSNotTLS:        "met a peer that speaks no TLS",

	probe.ReasonLimitTotal:       "took longer than the %s that one may take in all",
	probe.ReasonLimitConnect:     "got no usable connection within %s",
	probe.ReasonLimitSockConnect: "did not get connected within %s",
	probe.ReasonLimitSockRead:    "heard nothing for %s",

	probe.ReasonDisconnected:    "lost the connection before an answer",
	probe.ReasonStaleConnection: "met a kept connection that had died",
	probe.ReasonHeaderTruncated: "got half a response header",
	probe.ReasonBodyTruncated:   "got a body that was cut",
	probe.ReasonBodyCorrupt:     "got a damaged body",
	probe.ReasonProtocolError:   "got an answer that is not of the protocol",

	probe.ReasonH2Refused:     "had the HTTP/2 stream refused",
	probe.ReasonH2StreamReset: "had the HTTP/2 stream reset",
	probe.ReasonH2Goaway:      "met an HTTP/2 GOAWAY",

	probe.ReasonProxyConnect: "did not get through the proxy",
	probe.ReasonProxyStatus:  "were turned away by the proxy",

	probe.ReasonRedirectLoop:    "met more redirects than are followed",
	probe.ReasonRedirectInvalid: "met a redirect that cannot be followed",
	probe.ReasonStatus:          "got a status that is not expected",
	probe.ReasonAssertion:       "got an answer that is not what the file expects",

	probe.ReasonPoolTimeout:   "waited too long for a connection of sonde's own",
	probe.ReasonLocalResource: "found this machine's own descriptors, ports or buffers used up",
	probe.ReasonProberLate:    "came too late because sonde itself was short of CPU",
	probe.ReasonConfig:        "could not use something that the file names",
	probe.ReasonConnectDenied: "met a rule of this machine that forbids the connection",
	probe.ReasonInternal:      "hit a bug of sonde",

	probe.ReasonDeadline: "had to end at the deadline",
	probe.ReasonCanceled: "were interrupted",
}

// met says what an attempt met.
func met(p *probe.Probe, a *probe.Attempt) string {
	phrase, ok := phrases[a.Reason]
	switch {
	case a.Reason == probe.ReasonStatus && a.HTTP != nil:
		return fmt.Sprintf("got %d", a.HTTP.Status)
	case a.Reason == probe.ReasonTLSCertExpired && a.TLS != nil && a.TLS.EarliestExpiry.Before(a.Started) && !a.TLS.EarliestExpiry.IsZero():
		return "met a certificate that expired on " + a.TLS.EarliestExpiry.UTC().Format(time.DateOnly)
	case !ok:
		return "failed with " + string(a.Reason)
	case strings.Contains(phrase, "%s"):
		return fmt.Sprintf(phrase, span(spans(p, a.Limit)))
	}
	return phrase
}

// advice says what to do about a reason that is our own fault.
var advice = map[probe.Reason]string{
	probe.ReasonPoolTimeout:   "allow more connections by the limit that the error names, or probe this host less at a time",
	probe.ReasonLocalResource: "raise the limit of open files (ulimit -n, LimitNOFILE=), or see what else uses up descriptors and ports on this machine",
	probe.ReasonProberLate:    "give the machine that sonde runs on more CPU, or let it run fewer probes at a time by --probe.concurrency",
	probe.ReasonConfig:        "mend what the error names, and see sonde check",
	probe.ReasonConnectDenied: "see which firewall or sandbox of this machine forbids it",
	probe.ReasonInternal:      "report it with the error above",
	probe.ReasonDeadline:      "give --deadline more time",
	probe.ReasonCanceled:      "let it run to its end",
}
