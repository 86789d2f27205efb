package schema

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// firstSays is the first thing said of a text.
func firstSays(data []byte) string {
	line, _, _ := strings.Cut(says(data, nil), "\n")
	return line
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	good := "probes:\n  - name: a\n    plain: {address: a}\n"
	for name, c := range map[string]struct{ text, want string }{
		"BOM":               {"\ufeff" + good, "loads"},
		"CRLF":              {strings.ReplaceAll(good, "\n", "\r\n"), "loads"},
		"BOM and CRLF":      {"\ufeff" + strings.ReplaceAll(good, "\n", "\r\n"), "loads"},
		"no newline at end": {strings.TrimSuffix(good, "\n"), "loads"},
		"UTF-32":            {"\xff\xfe\x00\x00a\x00\x00\x00", "probes.yaml:1:1: the file is encoded as UTF-32, want UTF-8; save it as UTF-8 [encoding]"},
		"UTF-32, big end":   {"\x00\x00\xfe\xff\x00\x00\x00a", "probes.yaml:1:1: the file is encoded as UTF-32, want UTF-8; save it as UTF-8 [encoding]"},
		"UTF-16":            {"\xff\xfea\x00:\x00", "probes.yaml:1:1: the file is encoded as UTF-16, want UTF-8; save it as UTF-8 [encoding]"},
		"Latin-1":           {good + "# caf\xe9\n", "probes.yaml:4:6: byte 0xe9 is not UTF-8, want text in UTF-8 [encoding]"},
		"control character": {good + "\x01", `probes.yaml:4:1: control character U+0001 stands in the text; remove it, or write it in double quotes as "\x01" [encoding]`},
		"BOM within":        {"# ä\ufeff\n" + good, `probes.yaml:1:4: control character U+FEFF stands in the text; remove it, or write it in double quotes as "\ufeff" [encoding]`},
		"CRLF, a problem":   {"probes:\r\n  - nam: a\r\n", "probes.yaml:2:5: probes[0].nam is not a known key; did you mean name? [unknown-key]"},
		"old Mac":           {"probes:\r- name: a\r  plain: {address: a}\r", "loads"},
	} {
		if got := firstSays([]byte(c.text)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	want := "probes.yaml:1:1: the file is over 32 MiB, want less; split it into several files [too-large]"
	if got := firstSays(bytes.Repeat([]byte("#"), maxSize+1)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHopelessFile: a file of nothing but problems is bounded in what is said of it.
func TestHopelessFile(t *testing.T) {
	t.Parallel()
	text := "probes:\n" + strings.Repeat("  - {name: A, plain: {adress: a}}\n", 5000)
	_, err := Parse("probes.yaml", []byte(text), fakeKinds())
	problems := err.(Problems)
	last := problems[len(problems)-1]
	if len(problems) != maxProblems+1 || last.Rule != RuleMore || last.Text != "there are 9000 more problems, not shown; mend these first" {
		t.Errorf("%d problems, the last is %v", len(problems), last)
	}
}

// manyKeys is a file with a list of n numbers and a mapping of n keys, all at fault.
func manyKeys(n int) []byte {
	var b strings.Builder
	b.WriteString("probes:\n  - name: a\n    fake:\n      address: a:1\n      numbers:\n")
	for range n {
		b.WriteString("      - 5\n")
	}
	b.WriteString("      headers:\n")
	for i := range n {
		fmt.Fprintf(&b, "        k%d: x\n", i)
	}
	return []byte(b.String())
}

// ordinarily is how long ten files of 1,000 keys take to be read just now: on a busy machine all takes longer.
func ordinarily() time.Duration {
	text := manyKeys(1000)
	start := time.Now()
	for range 10 {
		Parse("probes.yaml", text, fakeKinds())
	}
	return time.Since(start)
}

// TestManyKeysAreNotQuadratic: a mapping of 100,000 keys, all at fault, is read in a second, ten times what a tenth
// of them takes. A quadratic lookup would need minutes, and hundreds of times as long.
func TestManyKeysAreNotQuadratic(t *testing.T) {
	t.Parallel()
	text := manyKeys(100_000)
	start := time.Now()
	_, err := Parse("probes.yaml", text, fakeKinds())
	if took := time.Since(start); err == nil || took > time.Minute && took > 50*ordinarily() {
		t.Errorf("took %v, err is nil: %v", took, err == nil)
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1d12h": 36 * time.Hour, "1w2d": 9 * 24 * time.Hour, "500ms": 500 * time.Millisecond, "1.5s": 1500 * time.Millisecond,
		"1h0m1s": time.Hour + time.Second, "100us": 100 * time.Microsecond, "1µs": time.Microsecond, ".5d": 12 * time.Hour,
		"-5s": -5 * time.Second, "+5s": 5 * time.Second, "9223372036ns": 9223372036,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("parseDuration(%q) is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "5", "s", "5x", "5 s", "1:30", "1h30", "1..5s", "1e3s", "-", "none", "9999999w", "1h-5m", "0x5s"} {
		if got, err := parseDuration(bad); err == nil {
			t.Errorf("parseDuration(%q) is %v, want an error", bad, got)
		}
	}
}

// TestDurationsAreShownAsTheyAreRead goes there and back.
func TestDurationsAreShownAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{1, time.Second, 90 * time.Second, 36 * time.Hour, 9 * 24 * time.Hour, 1500 * time.Millisecond, 25*time.Hour + time.Nanosecond} {
		if got, err := parseDuration(text(d)); err != nil || got != d {
			t.Errorf("%v is shown as %s, which is read as %v, %v", d, text(d), got, err)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"interval", "timeout", "retry", "url", "method", "ca_file", "cert_file"}
	for got, want := range map[string]string{
		"intervall": "interval", "Timeout": "timeout", "time-out": "timeout", "rerty": "retry", "urls": "url", "mehtod": "method",
		"ca-file": "ca_file", "uri": "url", "url_path": "url", "cert": "cert_file", "certificate": "", "colour": "", "x": "", "": "", strings.Repeat("interval", 20): "",
	} {
		if near := Nearest(got, words); near != want {
			t.Errorf("Nearest(%q) is %q, want %q", got, near, want)
		}
	}
}

// TestHostileFilesAreBounded: texts that were made to cost memory or time cost little of either.
func TestHostileFilesAreBounded(t *testing.T) {
	t.Parallel()
	list := func(element string, n int) string { return "[" + strings.Repeat(element+",", n) + "]" }
	for name, c := range map[string]struct{ text, want string }{
		// The parser alone made 3.3 GB of it, in 18 seconds.
		"15 MB of lists": {"probes: " + list("[]", 5<<20), "probes.yaml:1:1: the file holds more than 1500000 values, want fewer; split it into several files [too-large]"},
		"many targets": {"probes:\n- {name: a, targets: " + list("x", 1000) + ", fake: {address: 'a:1', json: " + list("'{{target}}'", 20_000) + "}}\n",
			"probes.yaml:2:3: probes[0] makes that profiles and targets amount to more than 10000000 values, want less [alias-bomb]"},
		"many uses": {"profiles: {p: {interval: 1m}}\nprobes:\n- {name: a, use: " + list("p", 60_000) + ", plain: {address: a}}\n",
			`probes.yaml:3:21: probes[0].use[1] is "p" once more, want it once [unknown-profile]`},
		"many bad elements": {"probes:\n- {name: a, fake: {address: 'a:1', numbers: " + list("x", 60_000) + "}}\n",
			`probes.yaml:2:46: probes[0].fake.numbers[0] is "x", want a whole number [wrong-type]`},
		"dollars": {"probes:\n- {name: a, plain: {address: '" + strings.Repeat("$", 1<<20) + "'}}\n", "loads"},
	} {
		start := time.Now()
		if got := firstSays([]byte(c.text)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
		if took := time.Since(start); took > 20*time.Second && took > 50*ordinarily() {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestDeepPlacesAreShort: a mistake at the bottom of a deep file is told in a line that one can read.
func TestDeepPlacesAreShort(t *testing.T) {
	t.Parallel()
	text := "probes:\n- name: a\n  fake: {address: \"a:1\", json: " + strings.Repeat("{k: ", 300) + "{a: 1, a: 2}" + strings.Repeat("}", 300) + "}\n"
	_, err := Parse("probes.yaml", []byte(text), fakeKinds())
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("got %v, want problems", err)
	}
	want := regexp.MustCompile(`^probes\[0\]\.fake\.json(\.k)+.{0,2}….{0,2}(\.k)+(\.a)? is `)
	for _, p := range problems {
		if len(p.Text) > 500 || !want.MatchString(p.Text) {
			t.Errorf("got %s, want a match of %s", p.Text, want)
		}
	}
}
