package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sonde/probe"
)

// connection writes where the i-th attempt went.
func (x *teller) connection(r *probe.Result, i int) {
	a := &r.Attempts[i]
	if way := wayText(a.Proxy, a.RemoteAddress); way != "" {
		if a.RemoteAddress != "" {
			way += ", on " + connectionText(r, i)
		}
		x.field("address", way, "")
	}
	x.tried(a)
	for i, hop := range hopsOf(a) {
		way := "from " + hop.RemoteAddress
		if hop.Proxy != "" {
			way = wayText(hop.Proxy, hop.RemoteAddress)
		}
		x.field(map[bool]string{true: "redirects"}[i == 0], fmt.Sprintf("%s answered %d %s", hop.URL, hop.Status, way), "")
	}
}

// wayText is where a connection led: the proxy by the name that the file has for it, for its address alone
// would look like a wrong one of the target's.
func wayText(proxy, address string) string {
	switch {
	case proxy == "":
		return address
	case address == "" || address == proxy:
		return "through the proxy " + proxy
	}
	return fmt.Sprintf("through the proxy %s (%s)", proxy, address)
}

// connectionText says which connection the i-th attempt went out on and, of a kept one, whose it was before.
func connectionText(r *probe.Result, i int) string {
	a := &r.Attempts[i]
	if !a.Reused {
		return "a new connection"
	}
	if slices.ContainsFunc(hopsOf(a), func(h probe.Hop) bool { return h.RemoteAddress == a.RemoteAddress }) {
		return "a kept connection (that of the redirect)"
	}
	for i--; i >= 0; i-- {
		if before := &r.Attempts[i]; before.RemoteAddress == a.RemoteAddress {
			return fmt.Sprintf("a kept connection (that of attempt %d)", before.Number)
		}
	}
	return "a kept connection (another probe's)"
}

// hopsOf are the redirects that an attempt followed.
func hopsOf(a *probe.Attempt) []probe.Hop {
	if a.HTTP == nil {
		return nil
	}
	return a.HTTP.Hops
}

// unanswered is true of an attempt whose last request, which a redirect led to, has no answer: what there is
// of an answer is the redirect's.
func unanswered(a *probe.Attempt) bool {
	hops := hopsOf(a)
	if a.OK || len(hops) == 0 || a.Phase >= probe.PhaseTransfer {
		return false
	}
	last := hops[len(hops)-1]
	return a.HTTP.URL == last.URL && a.HTTP.Status == last.Status
}

// tried writes the addresses that failed, but for one that is the failure itself.
func (x *teller) tried(a *probe.Attempt) {
	if len(a.Addresses) == 1 && a.RemoteAddress == "" {
		return
	}
	for _, t := range a.Addresses {
		x.field("no way to", t.Address+": "+errorText(t.Err), "")
	}
}

// secure writes what the handshake showed, and the certificates.
func (x *teller) secure(a *probe.Attempt) {
	t := a.TLS
	if t == nil {
		return
	}
	if t.Version != "" {
		x.field("tls", fmt.Sprintf("%s with %s; the certificate is %s", t.Version, t.Cipher, trust(a)), "")
	}
	for i := range t.Chain {
		x.certificate(&t.Chain[i], i)
	}
}

// trust says what came of the certificate.
func trust(a *probe.Attempt) string {
	switch {
	case !a.TLS.LastChainExpiry.IsZero():
		return "verified"
	case !a.OK && a.Phase == probe.PhaseTLS:
		return "refused"
	}
	return "not verified (tls.insecure_skip_verify)"
}

func (x *teller) certificate(c *probe.Certificate, i int) {
	x.field(map[bool]string{true: "certificate", false: "signed by"}[i == 0], fmt.Sprintf("%s, %s", c.Subject, x.validity(c)), "")
	if len(c.Names) > 0 {
		text := "for " + strings.Join(c.Names, ", ")
		if c.MoreNames > 0 {
			text += fmt.Sprintf(" and %d more", c.MoreNames)
		}
		x.field("", text, "")
	}
	issuer := "issued by " + c.Issuer
	if c.Issuer == c.Subject {
		issuer = "issued by itself"
	}
	x.field("", issuer, "")
}

// validity is from when until when a certificate is good, and how that stands to now.
func (x *teller) validity(c *probe.Certificate) string {
	from, until := c.NotBefore.UTC().Format(time.DateOnly), c.NotAfter.UTC().Format(time.DateOnly)
	switch {
	case x.now.After(c.NotAfter):
		return fmt.Sprintf("from %s until %s: expired %s ago", from, until, days(x.now.Sub(c.NotAfter)))
	case x.now.Before(c.NotBefore):
		return fmt.Sprintf("from %s until %s: not valid yet for %s", from, until, days(c.NotBefore.Sub(x.now)))
	}
	return fmt.Sprintf("from %s until %s: %s left", from, until, days(c.NotAfter.Sub(x.now)))
}

// days is a duration in days, or in less where it is less than two.
func days(d time.Duration) string {
	if d < 48*time.Hour {
		return short(d)
	}
	return count(int(d/(24*time.Hour)), "day")
}

// answer writes what the response was, and the beginning of its body where the attempt failed.
func (x *teller) answer(a *probe.Attempt) {
	h := a.HTTP
	if h == nil || unanswered(a) {
		return
	}
	text := fmt.Sprintf("%d over %s", h.Status, h.Version)
	if a.OK || h.BodyHead == "" {
		text += fmt.Sprintf(", %s of body", count(int(h.BodyBytes), "byte"))
	}
	if len(h.Hops) > 0 {
		text += ", from " + h.URL
	}
	x.field("answer", text, "")
	if h.LengthUnverified {
		x.field("", "the end of the body is the end of the connection, so a cut could not be seen", "")
	}
	if h.AfterResend && !a.Repeatable {
		x.field("", "an earlier attempt was sent and not answered, so this may be the second time that it was processed", "")
	}
	x.body(h.BodyHead)
}

// body writes the first lines of a body.
func (x *teller) body(head string) {
	label, room := "body", x.width-labelWidth-len("    | ")
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(head, "\r\n", "\n"), "\n"), "\n")
	for i, line := range lines {
		if head == "" {
			return
		}
		if i == mostLines {
			fmt.Fprintf(&x.b, "  %s  | …\n", pad("", labelWidth))
			return
		}
		fmt.Fprintf(&x.b, "  %s  | %s\n", pad(label, labelWidth), probe.Shorten(clean(line), room))
		label = ""
	}
}
