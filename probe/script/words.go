package script

import (
	"fmt"
	"slices"
	"strings"

	"sonde/probe"
	"sonde/probe/retry"
)

// The words of a file. Each type takes its own words and no other, and tells them to editors.

// Where an attempt can be hung, reset or cut, in the order in which it gets there.
const (
	atQueue     = "queue"
	atResolve   = "resolve"
	atConnect   = "connect"
	atProxy     = "proxy"
	atTLS       = "tls"
	atHeader    = "header"
	atMidHeader = "mid_header"
	atBody      = "body"
	atTalk      = "talk"
)

var (
	hangWords    = []string{atQueue, atResolve, atConnect, atProxy, atTLS, atHeader, atMidHeader, atBody, atTalk}
	resetWords   = []string{atConnect, atProxy, atTLS, atHeader, atMidHeader, atBody, atTalk}
	cutWords     = []string{atProxy, atTLS, atHeader, atMidHeader, atBody, atTalk}
	dnsWords     = []string{"not_found", "temporary", "timeout", "server"}
	connectWords = []string{"refused", "unreachable", "timeout"}
	tlsWords     = []string{"cert_expired", "cert_hostname", "cert_untrusted", "cert_other", "alert", "not_tls"}
	h2Words      = []string{"refused", "stream_reset", "goaway"}

	verdictWords  = names(probe.Verdicts())
	reasonWords   = reasons()
	stopWords     = names(retry.Stops())
	evidenceWords = names([]probe.Evidence{probe.NeverSent, probe.Refused, probe.Unanswered, probe.Answered})
	limitWords    = orNone(names([]probe.Limit{probe.LimitTotal, probe.LimitConnect, probe.LimitSockConnect, probe.LimitSockRead}))
	phaseWords    = phases()
	sourceWords   = orNone(names([]retry.Source{retry.FromBackoff, retry.FromRetryAfter}))
)

// The words of a step.
type (
	Hang    string // where nothing comes any more
	Reset   string // where the connection is reset
	Cut     string // where the connection is closed
	DNS     string // how a lookup fails
	Connect string // how a connection fails
	TLS     string // how a handshake fails
	H2      string // what HTTP/2 does instead of answering
)

// The words of what is wanted; of some the empty text is one, which wants that there is none.
type (
	Verdict  probe.Verdict
	Reason   probe.Reason
	Stop     retry.Stop
	Evidence probe.Evidence
	Limit    probe.Limit
	Phase    string
	Source   retry.Source
)

// UnmarshalText of each takes its words.
func (w *Hang) UnmarshalText(b []byte) error     { return take(w, b, hangWords) }
func (w *Reset) UnmarshalText(b []byte) error    { return take(w, b, resetWords) }
func (w *Cut) UnmarshalText(b []byte) error      { return take(w, b, cutWords) }
func (w *DNS) UnmarshalText(b []byte) error      { return take(w, b, dnsWords) }
func (w *Connect) UnmarshalText(b []byte) error  { return take(w, b, connectWords) }
func (w *TLS) UnmarshalText(b []byte) error      { return take(w, b, tlsWords) }
func (w *H2) UnmarshalText(b []byte) error       { return take(w, b, h2Words) }
func (w *Verdict) UnmarshalText(b []byte) error  { return take(w, b, verdictWords) }
func (w *Reason) UnmarshalText(b []byte) error   { return take(w, b, reasonWords) }
func (w *Stop) UnmarshalText(b []byte) error     { return take(w, b, stopWords) }
func (w *Evidence) UnmarshalText(b []byte) error { return take(w, b, evidenceWords) }
func (w *Limit) UnmarshalText(b []byte) error    { return take(w, b, limitWords) }
func (w *Phase) UnmarshalText(b []byte) error    { return take(w, b, phaseWords) }
func (w *Source) UnmarshalText(b []byte) error   { return take(w, b, sourceWords) }

// JSONSchema of each lists its words.
func (Hang) JSONSchema() map[string]any     { return enum(hangWords) }
func (Reset) JSONSchema() map[string]any    { return enum(resetWords) }
func (Cut) JSONSchema() map[string]any      { return enum(cutWords) }
func (DNS) JSONSchema() map[string]any      { return enum(dnsWords) }
func (Connect) JSONSchema() map[string]any  { return enum(connectWords) }
func (TLS) JSONSchema() map[string]any      { return enum(tlsWords) }
func (H2) JSONSchema() map[string]any       { return enum(h2Words) }
func (Verdict) JSONSchema() map[string]any  { return enum(verdictWords) }
func (Reason) JSONSchema() map[string]any   { return enum(reasonWords) }
func (Stop) JSONSchema() map[string]any     { return enum(stopWords) }
func (Evidence) JSONSchema() map[string]any { return enum(evidenceWords) }
func (Limit) JSONSchema() map[string]any    { return enum(limitWords) }
func (Phase) JSONSchema() map[string]any    { return enum(phaseWords) }
func (Source) JSONSchema() map[string]any   { return enum(sourceWords) }

func enum(words []string) map[string]any { return map[string]any{"enum": words} }

// take takes one of the words.
func take[T ~string](to *T, text []byte, words []string) error {
	if !slices.Contains(words, string(text)) {
		return fmt.Errorf("want one of %s", strings.Join(shownWords(words), ", "))
	}
	*to = T(text)
	return nil
}

// shownWords are the words as a file has them.
func shownWords(words []string) []string {
	list := slices.Clone(words)
	if i := slices.Index(list, ""); i >= 0 {
		list[i] = `""`
	}
	return list
}

// names are words as texts.
func names[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

func orNone(words []string) []string { return append(words, "") }

func reasons() (all []string) {
	for _, info := range probe.Reasons() {
		all = append(all, string(info.Reason))
	}
	return orNone(all)
}

func phases() (all []string) {
	for phase := range probe.NumPhases {
		all = append(all, phase.String())
	}
	return orNone(all)
}
