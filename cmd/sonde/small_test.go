package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want time.Duration
		err  string
	}{
		{"30s", 30 * time.Second, ""},
		{"1m30s", 90 * time.Second, ""},
		{"1d", 24 * time.Hour, ""},
		{"1w2d12h", 228 * time.Hour, ""},
		{"30", 0, `"30" has no unit, want one such as 30s`},
		{"1d5", 0, `"1d5" has no unit, want one such as 1d5s`},
		{"", 0, `"" is not above 0`},
		{"0s", 0, `"0s" is not above 0`},
		{"-5s", 0, `"-5s" is not above 0`},
		{"soon", 0, `"soon" is no duration, want one such as 30s or 1m30s`},
		{"99999w", 0, `"99999w" is too long, want less than 146 years`},
		{"99999999999999999999d", 0, `"99999999999999999999d" is too long, want less than 146 years`},
		{"7600w1d", 53201 * 24 * time.Hour, ""},
		{"999999999999h", 0, `"999999999999h" is too long, want less than 146 years`},
		{"7000w1000000h", 0, `"7000w1000000h" is too long, want less than 146 years`},
		{"-99999w", 0, `"-99999w" is not above 0`},
		{"-0s", 0, `"-0s" is not above 0`},
		{"1.5h", 90 * time.Minute, ""},
		{"1h-5s", 0, `"1h-5s" is no duration, want one such as 30s or 1m30s`},
		{"--5s", 0, `"--5s" is no duration, want one such as 30s or 1m30s`},
	} {
		var got span
		text := ""
		if err := got.UnmarshalText([]byte(tt.text)); err != nil {
			text = err.Error()
		}
		if time.Duration(got) != tt.want || text != tt.err {
			t.Errorf("%q is %v and %q, want %v and %q", tt.text, time.Duration(got), text, tt.want, tt.err)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"fits", "one two", []string{"one two"}},
		{"breaks between words", "one two three four", []string{"one two", "three four"}},
		{"breaks a long word", "abcdefghijklmnop", []string{"abcdefghij", "klmnop"}},
		{"says that there is more", "aaaaaaaaaa bbbbbbbbbb cccccccccc dd", []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccc …"}},
	} {
		if diff := cmp.Diff(tt.want, wrap(tt.text, 10, 3)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"shop-home", "orders-create", "db"}
	for name, want := range map[string]string{
		"shop-hme": "shop-home", "orders": "orders-create", "home": "shop-home", "hsop-home": "shop-home", "créate": "", "orders-créate": "orders-create", "d": "db", "payments": "", "": "",
	} {
		if got := nearest(name, words); got != want {
			t.Errorf("nearest(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	t.Parallel()
	results := someResults()
	p := &progress{width: 80, done: tally{}, ended: map[*probe.Probe]bool{}, failed: map[*probe.Probe]string{}}
	for _, r := range results {
		p.probes = append(p.probes, r.Probe)
	}
	down := results[3]
	p.AttemptDone(down.Probe, &down.Attempts[0])
	p.RunDone(results[0])
	if got, want := p.line(2*time.Second), "1 of 4 done, 2.0s; waiting for db (1/2 connect_refused), orders-create, never-…"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	for _, r := range results[1:] {
		p.RunDone(r)
	}
	if got, want := p.line(3*time.Second), "4 of 4 done, 1 down, 1 unknown, 1 flaky, 3.0s"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}

func TestProgressLeavesAnEmptyLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	newProgress(&b, 80, nil).close()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("the last that is written is %q, want the line wiped", b.String())
	}
}

// A file is found by the bytes of its name, and shown without those that would harm a terminal.
func TestNamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pr\xe9.yaml")
	if err := os.WriteFile(name, []byte("probes: [{name: home, http: {url: \"http://127.0.0.1:1/\"}}]\n"), 0o644); err != nil {
		t.Skip("the file system takes no such name:", err)
	}
	for _, args := range [][]string{{"check", name}, {"check", "--config.file", name}, {"check", "--config.file=" + name}} {
		var out, err strings.Builder
		if status := dispatch(t.Context(), args, &out, &err); status != statusOK || !utf8.ValidString(out.String()) {
			t.Errorf("%q: exit status %d, want 0: %q %q", args, status, out.String(), err.String())
		}
	}
}
