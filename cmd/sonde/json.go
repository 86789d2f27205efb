package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf16"

	"sonde/probe"
)

// The types of this file are what once --output json prints. The names of their fields are a promise,
// and all fields are always there, but for http, which is absent without a response.

type resultsJSON struct {
	Results []resultJSON `json:"results"`
}

type resultJSON struct {
	Probe    string            `json:"probe"`
	Kind     string            `json:"kind"`
	Target   string            `json:"target"`
	Group    string            `json:"group"`
	Labels   map[string]string `json:"labels"`
	Verdict  string            `json:"verdict"`
	Reason   string            `json:"reason"`
	Stop     string            `json:"stop"`
	Error    string            `json:"error"`
	Started  time.Time         `json:"started"`
	Duration float64           `json:"duration_seconds"`
	Attempts []attemptJSON     `json:"attempts"`
}

type attemptJSON struct {
	Number        int           `json:"number"`
	Transparent   bool          `json:"transparent"`
	Started       time.Time     `json:"started"`
	Duration      float64       `json:"duration_seconds"`
	OK            bool          `json:"ok"`
	Reason        string        `json:"reason"`
	Transient     bool          `json:"transient"`
	Evidence      string        `json:"evidence"`
	Error         string        `json:"error"`
	Limit         string        `json:"limit"`
	Phase         string        `json:"phase"`
	Late          float64       `json:"late_seconds"`
	Wait          float64       `json:"wait_seconds"`
	WaitSource    string        `json:"wait_source"`
	RemoteAddress string        `json:"remote_address"`
	Proxy         string        `json:"proxy"`
	Addresses     []addressJSON `json:"addresses"`
	Reused        bool          `json:"connection_reused"`
	Phases        phasesJSON    `json:"phases_seconds"`
	HTTP          *httpJSON     `json:"http,omitempty"`
}

type addressJSON struct {
	Address string `json:"address"`
	Error   string `json:"error"`
}

// phasesJSON is seconds by phase.
type phasesJSON [probe.NumPhases]time.Duration

// MarshalJSON writes the phases in their order.
func (p phasesJSON) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for phase, d := range p {
		seconds, err := json.Marshal(d.Seconds())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%q:%s", probe.Phase(phase), seconds)
	}
	b.WriteByte('}')
	out := b.Bytes()
	out[0] = '{'
	return out, nil
}

type httpJSON struct {
	Status           int       `json:"status"`
	Version          string    `json:"version"`
	URL              string    `json:"url"`
	Hops             []hopJSON `json:"hops"`
	BodyHead         string    `json:"body_head"`
	LengthUnverified bool      `json:"length_unverified"`
	AfterResend      bool      `json:"after_resend"`
}

type hopJSON struct {
	URL           string `json:"url"`
	Status        int    `json:"status"`
	RemoteAddress string `json:"remote_address"`
	Proxy         string `json:"proxy"`
}

// writeJSON prints the results as one object.
func writeJSON(w io.Writer, results []*probe.Result) error {
	all := resultsJSON{Results: make([]resultJSON, len(results))}
	for i, r := range results {
		all.Results[i] = resultToJSON(r)
	}
	return encodeJSON(w, all)
}

// encodeJSON prints a value for people and programs alike: indented, and without what a terminal obeys.
func encodeJSON(w io.Writer, value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escapeControls(b.Bytes()))
	return err
}

// escapeControls writes as \u009b what JSON allows to stand as it is but a terminal would obey. Such
// characters can stand only within strings, so the value stays the same.
func escapeControls(text []byte) []byte {
	if bytes.IndexFunc(text, terminalControl) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if !terminalControl(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes()
}

// terminalControl is true of what is not printable, but for the line breaks that the encoder itself writes.
func terminalControl(r rune) bool { return r != '\n' && !probe.IsPrintable(r) }

func resultToJSON(r *probe.Result) resultJSON {
	j := resultJSON{
		Probe: r.Probe.Name, Kind: r.Probe.Kind, Target: r.Probe.Target, Group: r.Probe.Group,
		Labels: map[string]string{}, Verdict: string(r.Verdict), Reason: string(r.Reason), Stop: string(r.Stop),
		Error: errorText(r.Err), Started: r.Started.UTC(), Duration: r.Duration.Seconds(),
		Attempts: make([]attemptJSON, len(r.Attempts)),
	}
	for _, l := range r.Probe.Labels {
		j.Labels[l.Name] = l.Value
	}
	for i := range r.Attempts {
		j.Attempts[i] = attemptToJSON(&r.Attempts[i])
	}
	return j
}

func attemptToJSON(a *probe.Attempt) attemptJSON {
	j := attemptJSON{
		Number: a.Number, Transparent: a.Transparent, Started: a.Started.UTC(), Duration: a.Duration.Seconds(),
		OK: a.OK, Evidence: string(a.Evidence), Late: a.Late.Seconds(),
		Wait: a.Wait.Seconds(), WaitSource: string(a.WaitSource), RemoteAddress: a.RemoteAddress, Proxy: a.Proxy,
		Addresses: make([]addressJSON, len(a.Addresses)), Reused: a.Reused, Phases: phasesJSON(a.Phases),
		HTTP: httpToJSON(a.HTTP),
	}
	if !a.OK {
		j.Reason, j.Transient, j.Error = string(a.Reason), a.Transient, errorText(a.Err)
		j.Limit, j.Phase = string(a.Limit), a.Phase.String()
	}
	for i, tried := range a.Addresses {
		j.Addresses[i] = addressJSON{Address: tried.Address, Error: errorText(tried.Err)}
	}
	return j
}

func httpToJSON(h *probe.HTTP) *httpJSON {
	if h == nil {
		return nil
	}
	j := &httpJSON{
		Status: h.Status, Version: h.Version, URL: h.URL, Hops: make([]hopJSON, len(h.Hops)),
		BodyHead: h.BodyHead, LengthUnverified: h.LengthUnverified, AfterResend: h.AfterResend,
	}
	for i, hop := range h.Hops {
		j.Hops[i] = hopJSON(hop)
	}
	return j
}
