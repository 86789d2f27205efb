package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/schema/report/junit"
)

const wantTable = `VERDICT    PROBE            TRIES    TOOK  REASON
■ down     db                 2/2    8.2s  connect_refused
           connecting 203.0.113.9:5432: connection refused (stop: attempts)
? unknown  never-began        0/4      0s  deadline
           the deadline of --deadline has passed (stop: batch_deadline)
◆ flaky    orders-create      2/3   812ms  status
           passed, but attempt 1 did not: status 503\x1b[2J; second line\x9b31m,
           want "201" & <b>
● up       home               1/4   120ms

4 probes: 1 down, 1 unknown, 1 flaky, 1 up in 8.2s
`

func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (table{width: 80}).print(&b, someResults(), 8200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantTable, b.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestTableFitsItsWidth(t *testing.T) {
	t.Parallel()
	r := downResult()
	r.Probe = aProbe(strings.Repeat("long-name.", 6), 4)
	r.Err.(*probe.RunError).Err = errors.New(strings.Repeat("word ", 90) + strings.Repeat("x", 200))
	r.Reason = probe.ReasonLimitSockConnect
	var b strings.Builder
	(table{width: 80}).print(&b, []*probe.Result{r, upResult()}, time.Second)
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns, want at most 80: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), r.Probe.Name) {
		t.Errorf("the name is not there whole:\n%s", b.String())
	}
}

func TestTableColoursOnlyWhereAsked(t *testing.T) {
	t.Parallel()
	var plain, coloured strings.Builder
	(table{width: 80}).print(&plain, someResults(), time.Second)
	(table{width: 80, colour: true}).print(&coloured, someResults(), time.Second)
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("colours in a plain table: %q", plain.String())
	}
	bare := coloured.String()
	for _, l := range looks {
		bare = strings.ReplaceAll(bare, l.colour, "")
	}
	if bare = strings.ReplaceAll(bare, "\x1b[0m", ""); bare != plain.String() || bare == coloured.String() {
		t.Errorf("a coloured table differs from the plain one by more than its colours, or has none:\n%q", coloured.String())
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 400 * time.Microsecond: "0.4ms", 812 * time.Millisecond: "812ms", 999900 * time.Microsecond: "1.0s",
		8200 * time.Millisecond: "8.2s", 59960 * time.Millisecond: "1m00s", 63 * time.Second: "1m03s", 25 * time.Hour: "25h00m",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) is %q, want %q", d, got, want)
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := writeJUnit(&b, someResults(), morning, 8200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	var got junit.Suites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, b.String())
	}
	if got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Suites[0].Timestamp != "2026-11-30T10:00:00" {
		t.Errorf("counts and time: %+v", got)
	}
	var seen []string
	for _, c := range got.Suites[0].Cases {
		text := c.Class + " " + c.Name + " " + c.Properties.List[0].Value
		if c.Failure != nil {
			text += " failure " + c.Failure.Type + ": " + c.Failure.Message
		}
		if c.Error != nil {
			text += " error " + c.Error.Type + ": " + c.Error.Message
		}
		seen = append(seen, text)
	}
	want := []string{
		"sonde.shop home up",
		"sonde.shop orders-create flaky",
		"sonde.shop never-began unknown error deadline: the deadline of --deadline has passed",
		"sonde db down failure connect_refused: connecting 203.0.113.9:5432: connection refused",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	flaky := got.Suites[0].Cases[1].Output
	if want := "attempt 1: status after 11ms: status 503\\x1b[2J; second line\\x9b31m, want \"201\" & <b>\nattempt 2: passed in 81ms\n"; flaky != want {
		t.Errorf("output of the flaky one is %q, want %q", flaky, want)
	}
}

// Nothing of what a target says may reach a terminal as a control character, in any form of output.
func TestNoOutputCarriesControls(t *testing.T) {
	t.Parallel()
	for name, print := range map[string]func(io.Writer) error{
		"table": func(w io.Writer) error { return table{width: 80}.print(w, someResults(), 0) },
		"json":  func(w io.Writer) error { return writeJSON(w, someResults()) },
		"junit": func(w io.Writer) error { return writeJUnit(w, someResults(), morning, 0) },
	} {
		var b strings.Builder
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && unicode.IsControl(r) {
				t.Errorf("%s prints %q:\n%s", name, r, b.String())
			}
		}
	}
}
