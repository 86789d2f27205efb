package script

import (
	"fmt"
	"net/textproto"
	"slices"

	"golang.org/x/net/http/httpguts"

	"sonde/probe"
)

// maxBody bounds what the body of one step amounts to.
const maxBody = 64 << 20

// checker gathers faults.
type checker struct{ faults []probe.Fault }

func (c *checker) fault(place, format string, args ...any) {
	c.faults = append(c.faults, probe.Fault{Place: place, Text: fmt.Sprintf(format, args...)})
}

// Check reports what the fields owe each other.
func (f *File) Check() []probe.Fault {
	var c checker
	seen := map[string]int{}
	for i := range f.Tests {
		t, place := &f.Tests[i], fmt.Sprintf("tests[%d]", i)
		if first, taken := seen[t.Name]; taken {
			c.fault(place+".name", "is %q, as tests[%d] is called already; want a name of its own", t.Name, first)
		} else {
			seen[t.Name] = i
		}
		for j, steps := range t.Script {
			if len(steps) == 0 {
				c.fault(fmt.Sprintf("%s.script[%d]", place, j), "is an empty list, want a step for each request")
			}
			for k := range steps {
				c.step(place+"."+stepPlace(t, j, k), &steps[k])
			}
		}
		if t.Want.isEmpty() {
			c.fault(place+".want", "names nothing, so that the test cannot fail; want a verdict at least")
		}
	}
	return c.faults
}

// stepPlace is the path, below its test, of the k-th step of the j-th attempt.
func stepPlace(t *Test, j, k int) string {
	if len(t.Script[j]) == 1 {
		return fmt.Sprintf("script[%d]", j)
	}
	return fmt.Sprintf("script[%d][%d]", j, k)
}

func (c *checker) step(place string, s *Step) {
	c.oneEnd(place, s)
	c.response(place, s)
	c.body(place, s)
	for i, m := range s.Talk {
		if (m.Hear == "") == (m.Say == "") {
			c.fault(fmt.Sprintf("%s.talk[%d]", place, i), "has %s, want one of hear and say", map[bool]string{true: "neither", false: "both"}[m.Say == ""])
		}
	}
}

// ends are the keys of a step that end an attempt.
func (s *Step) ends() (keys []string) {
	for _, k := range []struct {
		key string
		is  bool
	}{
		{"dns", s.DNS != ""}, {"connect", s.Connect != ""}, {"proxy", s.Proxy != 0}, {"tls", s.TLS != ""}, {"hang", s.Hang != ""}, {"reset", s.Reset != ""},
		{"cut", s.Cut != ""}, {"stale", s.Stale}, {"h2", s.H2 != ""}, {"not_http", s.NotHTTP != ""},
	} {
		if k.is {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// answers is true of a step that comes to a response header.
func (s *Step) answers() bool {
	return len(s.ends()) == 0 || s.Hang == atBody || s.Reset == atBody || s.Cut == atBody
}

// oneEnd sees that an attempt ends once, and that nothing is said of what comes after.
func (c *checker) oneEnd(place string, s *Step) {
	ends := s.ends()
	if len(ends) > 1 {
		c.fault(place+"."+ends[1], "stands beside %s, want one of them: an attempt ends once", ends[0])
		return
	}
	if s.answers() {
		return
	}
	for key, is := range map[string]bool{"status": s.Status != 0, "headers": s.Headers != nil && s.Proxy == 0, "body": s.Body != nil, "unannounced": s.Unannounced} {
		if is {
			c.fault(place+"."+key, "is never sent, since %s ends the attempt before; want one of them", ends[0])
		}
	}
}

// response looks at what an HTTP response can be.
func (c *checker) response(place string, s *Step) {
	switch {
	case s.Status == 0 || s.Status == 101 || s.Status >= 200 && s.Status <= 599:
	default:
		c.fault(place+".status", "is %d, want 101, or 200 to 599", s.Status)
	}
	for name, values := range s.Headers {
		at := place + ".headers." + name
		switch canonical := textproto.CanonicalMIMEHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name):
			c.fault(at, "has a name that no header can have, want letters, digits and hyphens")
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Trailer"}, canonical):
			c.fault(at, "cannot be set here: it follows from body and unannounced")
		case slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }):
			c.fault(at, "has a value that no header can have, want a text of one line")
		}
	}
	if n := min(len(s.NotHTTP), 5); n > 0 && s.NotHTTP[:n] == "HTTP/"[:n] {
		c.fault(place+".not_http", "begins as HTTP does; for a response that breaks off want cut: mid_header")
	}
}

func (c *checker) body(place string, s *Step) {
	sum := 0
	for i := range s.Body {
		p := &s.Body[i]
		if p.Repeat < 0 || p.Repeat > maxBody || p.times() > 1 && p.Text == "" {
			c.fault(fmt.Sprintf("%s.body[%d].repeat", place, i), "is %d, want 1 or more, of a text", p.Repeat)
			return
		}
		sum = min(sum+len(p.Text)*p.times(), maxBody+1)
	}
	switch {
	case sum > maxBody:
		c.fault(place+".body", "amounts to more than %d MiB, want less", maxBody>>20)
	case sum > 0 && bodiless(s.status()):
		c.fault(place+".body", "stands beside status %d, which has none", s.Status)
	}
}

// times is how often the text comes.
func (p *Piece) times() int { return max(1, p.Repeat) }

// status is the status of the response.
func (s *Step) status() int {
	if s.Status == 0 {
		return 200
	}
	return s.Status
}

// bodiless is true of a status whose response has no body.
func bodiless(status int) bool { return status < 200 || status == 204 || status == 304 }

func (w *Want) isEmpty() bool {
	return w.Verdict == nil && w.Reason == nil && w.Stop == nil && w.Attempts == nil && w.Transparent == nil &&
		w.Requests == nil && w.Waits == nil && w.Duration == nil && w.Error == nil && w.Each == nil
}
