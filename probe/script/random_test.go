package script_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"sonde/probe/script"
)

// TestAgreesOnRandomScripts makes scripts by chance and plays each over both networks.
func TestAgreesOnRandomScripts(t *testing.T) {
	t.Parallel()
	const groups, each = 6, 40
	for seed := range uint64(groups) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := dice{rand.New(rand.NewPCG(seed, 7))}
			played := 0
			for range each {
				test := d.test()
				if p := play(t, config, test); len(p.Faults) > 0 {
					continue // nothing like it can happen
				}
				played++
				if agrees(t, config, test); t.Failed() {
					t.Fatalf("by %s", shown(test))
				}
			}
			if played < each/2 {
				t.Errorf("%d of %d scripts were played, want most of them", played, each)
			}
		})
	}
}

// dice makes scripts.
type dice struct{ *rand.Rand }

// one is true once in n times.
func (d dice) one(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// span is a duration that no sum of others is likely to equal.
func (d dice) span() script.Span {
	return script.Span(pick(d, 1e6, 49e6, 220e6, 2300e6, 6100e6, 11e9)) + script.Span(d.IntN(900_000)*1000)
}

var probes = []string{"get", "plain", "head", "post", "post-never", "keyed", "fresh", "opaque", "hasty", "patient", "brief-connect", "secure", "proxied", "proxied-plain", "h2", "h2-post", "port", "mail"}

func (d dice) test() *script.Test {
	t := &script.Test{Probe: pick(d, probes...), Kept: d.one(4)}
	chance := float64(d.IntN(1000)) / 1000 // so that waits are whole microseconds
	t.Chance = &chance
	for range 1 + d.IntN(5) {
		steps := script.Steps{d.step(t.Probe)}
		for d.one(3) && t.Probe != "port" && t.Probe != "mail" {
			hop := d.step(t.Probe)
			if connects(&hop) {
				break
			}
			steps[len(steps)-1] = script.Step{Status: pick(d, 301, 302, 303, 307, 308), Headers: map[string]script.Texts{"Location": {"/there"}}}
			steps = append(steps, hop)
		}
		t.Script = append(t.Script, steps)
	}
	if t.Probe == "port" || t.Probe == "mail" {
		t.Kept = false
	}
	return t
}

// step is a step for a probe.
func (d dice) step(probe string) script.Step {
	switch probe {
	case "port", "mail":
		return d.talk()
	case "h2", "h2-post":
		return d.http2()
	case "secure":
		if s := (script.Step{}); d.one(3) {
			pick(d, func() { s.TLS = pick(d, script.TLS("cert_expired"), "cert_hostname", "alert", "not_tls") }, func() { s.Cut = "tls" },
				func() { s.Reset = "tls" }, func() { s.Hang = "tls" }, func() { s.Delay.TLS = d.span() })()
			return s
		}
	}
	if probe == "proxied" && d.one(3) {
		return d.proxy()
	}
	if d.one(4) {
		return d.connection(probe == "plain")
	}
	return d.http1()
}

// connection is a step that does something before there is a connection.
func (d dice) connection(literal bool) (s script.Step) {
	switch n := d.IntN(6); {
	case n < 3 && !literal:
		s.Delay.Resolve = d.span()
		switch n {
		case 0:
			s.DNS = pick(d, script.DNS("not_found"), "temporary", "timeout", "server")
		case 1:
			s.Hang = "resolve"
		}
	case n == 3:
		s.Connect = pick(d, script.Connect("refused"), "unreachable", "timeout")
	case n == 4:
		s.Hang = "connect"
	default:
		s.Reset = pick(d, script.Reset(""), "connect")
	}
	if d.one(2) {
		s.Delay.Connect = d.span()
	}
	return s
}

// proxy is a step that does something before there is a tunnel.
func (d dice) proxy() (s script.Step) {
	pick(d, func() { s.Proxy = pick(d, 403, 407, 502, 503) }, func() { s.Cut = "proxy" }, func() { s.Reset = "proxy" }, func() { s.Hang = "proxy" }, func() {})()
	s.Delay.Proxy = d.span()
	return s
}

// http1 is a step that does something with a request.
func (d dice) http1() (s script.Step) {
	if d.one(2) {
		s.Delay.Header = d.span()
	}
	switch d.IntN(8) {
	case 0:
		s.Hang = pick(d, script.Hang("header"), "mid_header")
	case 1:
		s.Cut = pick(d, script.Cut("header"), "mid_header")
	case 2:
		s.Reset = pick(d, script.Reset("header"), "mid_header")
	case 3:
		s.Stale = d.one(2)
		if !s.Stale {
			s.NotHTTP = pick(d, "SSH-2.0-x\r\n", "?", "hello\n")
		}
	default:
		s = d.response(s)
		s.Unannounced = d.one(8) && len(s.Body) > 0
		if d.one(8) {
			s.Headers = map[string]script.Texts{"Connection": {"close"}}
		}
	}
	return s
}

// response is an answer, its end included.
func (d dice) response(s script.Step) script.Step {
	s.Status = pick(d, 0, 0, 0, 200, 201, 503, 500, 429, 404, 409, 302)
	for range d.IntN(4) {
		p := script.Piece{Text: pick(d, "shop", "a", "", "0123456789"), Repeat: pick(d, 0, 0, 3, 700, 9000)}
		if p.Text == "" {
			p.Repeat = 0
		}
		if d.one(2) {
			p.Delay = d.span()
		}
		s.Body = append(s.Body, p)
	}
	if d.one(8) {
		s.Headers = map[string]script.Texts{"Retry-After": {pick(d, "1", "19", "90")}}
	}
	switch d.IntN(9) {
	case 0:
		s.Cut = "body"
	case 1:
		s.Reset = "body"
	case 2:
		s.Hang = "body"
	}
	return s
}

// http2 is a step of HTTP/2.
func (d dice) http2() (s script.Step) {
	if d.one(2) {
		s.Delay.Header = d.span()
	}
	switch d.IntN(8) {
	case 0, 1:
		s.H2 = pick(d, script.H2("refused"), "stream_reset", "goaway")
	case 2:
		s.Hang = "header"
	case 3:
		s.Cut = pick(d, script.Cut("header"), "mid_header")
	case 4:
		s.Reset = "header"
	default:
		s = d.response(s)
	}
	return s
}

// talk is a step of the probe mail, or of one that only connects.
func (d dice) talk() (s script.Step) {
	if d.one(4) {
		return d.connection(false)
	}
	for _, m := range []script.Move{{Say: "22"}, {Say: "0 hello\r\n"}, {Hear: "QUIT"}, {Say: "221 bye\r\n"}} {
		if m.Say != "" && d.one(3) {
			m.Delay = pick(d, script.Span(700e6), 2900e6, 3100e6)
		}
		if d.one(6) {
			break
		}
		s.Talk = append(s.Talk, m)
	}
	switch d.IntN(4) {
	case 0:
		s.Cut = "talk"
	case 1:
		s.Reset = "talk"
	}
	return s
}

// shown is a test as people read it.
func shown(t *script.Test) string {
	text := fmt.Sprintf("%s, kept %v", t.Probe, t.Kept)
	for _, steps := range t.Script {
		text += "\n-"
		for i := range steps {
			text += " {"
			v := reflect.ValueOf(steps[i])
			for f := range v.NumField() {
				if !v.Field(f).IsZero() {
					text += fmt.Sprintf(" %s: %+v", v.Type().Field(f).Name, v.Field(f))
				}
			}
			text += " }"
		}
	}
	return text
}
