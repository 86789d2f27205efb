package schema

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sonde/probe"
)

// fakeKinds are kinds with every sort of field that probe/value.go knows.
func fakeKinds() []probe.Kind {
	house := &fakeHouse{}
	house.self = house
	return []probe.Kind{
		{Name: "fake", New: func() probe.Settings {
			return &fakeSettings{Method: "get", Codes: codes{{200, 299}}, house: house}
		}},
		{Name: "plain", New: func() probe.Settings { return &plainSettings{} }},
	}
}

// fakeSettings probe nothing, in every way.
type fakeSettings struct {
	// Where it is, host:port.
	Address string `yaml:"address" validate:"required,hostname_port" example:"db.example.com:5432"`
	// A page.
	URL string `yaml:"url" validate:"omitempty,url" fill:"url"`
	// What is done.
	Method string `yaml:"method" validate:"oneof=get post delete"`
	// How many at once.
	Width int `yaml:"width" validate:"min=0,max=8"`
	// A size that cannot be negative.
	Size uint16 `yaml:"size"`
	// A share.
	Share float64 `yaml:"share" validate:"min=0,max=1"`
	// Whether to be loud.
	Loud bool `yaml:"loud"`
	// Headers by name.
	Headers map[string]string `yaml:"headers" validate:"max=3"`
	// The codes that are expected.
	Codes codes `yaml:"codes"`
	// Plain numbers.
	Numbers []int `yaml:"numbers" validate:"max=4,dive,min=100,max=599"`
	// How long to rest.
	Rest time.Duration `yaml:"rest"`
	// What is matched by name.
	Match map[string]matcher `yaml:"match" validate:"dive"`
	// Words that must be there.
	Words words `yaml:"words"`
	// Settings of TLS.
	TLS *fakeTLS `yaml:"tls"`
	// Any value.
	JSON any `yaml:"json"`
	// A password.
	Password string `yaml:"password" validate:"omitempty,min=8"`

	house *fakeHouse
}

// fakeHouse is what kinds share: no part of a definition, and without an end when walked.
type fakeHouse struct{ self *fakeHouse }

// Files is the certificate alone.
func (s *fakeSettings) Files() []string {
	if s.TLS == nil || s.TLS.CertFile == "" {
		return nil
	}
	return []string{s.TLS.CertFile}
}

type fakeTLS struct {
	// The certificate.
	CertFile string `yaml:"cert_file" validate:"required_with=KeyFile"`
	// Its key.
	KeyFile string `yaml:"key_file" validate:"required_with=CertFile"`
	// The least version.
	MinVersion string `yaml:"min_version" validate:"omitempty,oneof=1.2 1.3"`
}

// codes are ranges of codes.
type codes []codeRange

func (codes) OneOrMany() {}

type codeRange struct{ from, to int }

func (c *codeRange) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) == 3 && strings.HasSuffix(s, "xx") && s[0] >= '1' && s[0] <= '5' {
		from := int(s[0]-'0') * 100
		*c = codeRange{from, from + 99}
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 100 || n > 599 {
		return errors.New("want a code such as 200 or 2xx")
	}
	*c = codeRange{n, n}
	return nil
}

type words []string

func (words) OneOrMany() {}

// matcher is a text, or a mapping.
type matcher struct {
	Contains string  `yaml:"contains"`
	Matches  pattern `yaml:"matches"`
	Absent   bool    `yaml:"absent"`
}

func (m *matcher) UnmarshalText(text []byte) error {
	if strings.ContainsRune(string(text), 0) {
		return errors.New("want text, or a mapping with keys of contains, matches, absent")
	}
	m.Contains = string(text)
	return nil
}

type pattern struct{ re *regexp.Regexp }

func (p *pattern) UnmarshalText(text []byte) (err error) {
	if p.re, err = regexp.Compile(string(text)); err != nil {
		return fmt.Errorf("want a regular expression (RE2): %w", err)
	}
	return nil
}

func (s *fakeSettings) Check(env probe.Env) []probe.Fault {
	var faults []probe.Fault
	if s.TLS != nil && s.TLS.CertFile == s.TLS.KeyFile && s.TLS.KeyFile != "" {
		faults = append(faults, probe.Fault{Place: "tls.key_file", Text: fmt.Sprintf("is %q like cert_file, want another file", s.TLS.KeyFile)})
	}
	for i, w := range s.Words {
		if w == "" {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("words[%d]", i), Text: `is "", want text`})
		}
	}
	if s.Rest > env.Interval {
		faults = append(faults, probe.Fault{Place: "rest", Text: "is longer than the interval", Warning: true})
	}
	if s.Method == "delete" && s.URL == "" {
		faults = append(faults, probe.Fault{Place: "url", Text: "is missing, want it for method delete"})
	}
	return faults
}

func (s *fakeSettings) Target() string { return s.Address }
func (s *fakeSettings) Host() string   { return s.Address }

func (s *fakeSettings) Prober(probe.Env) (probe.Prober, error) {
	switch {
	case s.Headers["Fail"] == "fault":
		return nil, &probe.Fault{Place: "headers.Fail", Text: "is there, want it gone"}
	case s.Headers["Fail"] == "quoting":
		return nil, fmt.Errorf("%q is no good, nor is %s", s.Headers["X"], url.PathEscape(s.Headers["X"]))
	case s.Headers["Fail"] == "error":
		return nil, errors.New("no such thing")
	}
	return &fakeProber{settings: s}, nil
}

type fakeProber struct {
	settings *fakeSettings
	closed   bool
}

func (p *fakeProber) Probe(context.Context, probe.Try) probe.Attempt { return probe.Attempt{OK: true} }
func (p *fakeProber) Close() error                                   { p.closed = true; return nil }

// plainSettings have one field.
type plainSettings struct {
	// Where it is.
	Address string `yaml:"address" validate:"required" example:"example.com"`
}

func (s *plainSettings) Check(probe.Env) []probe.Fault          { return nil }
func (s *plainSettings) Target() string                         { return s.Address }
func (s *plainSettings) Host() string                           { return s.Address }
func (s *plainSettings) KeepsConnections() bool                 { return false }
func (s *plainSettings) Prober(probe.Env) (probe.Prober, error) { return &fakeProber{}, nil }
