package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const after = " S 1 2 3 4 5 6 7 8 9 10 123 45 0 0 20 0 9 0 100\n"
	for _, tt := range []struct {
		name, text string
		want       time.Duration
		err        string
	}{
		{"plain", "42 (sonde)" + after, 1680 * time.Millisecond, ""},
		{"a name of blanks and parentheses", "42 (a) S (b 1)" + after, 1680 * time.Millisecond, ""},
		{"short", "42 (sonde) S 1 2", 0, "3 fields"},
		{"empty", "", 0, "0 fields"},
		{"no number", "42 (sonde)" + strings.Replace(after, "123", "x", 1), 0, "utime"},
	} {
		got, err := parseStat([]byte(tt.text))
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, %v; want %v, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	got, err := parseStatus("Name:\tsonde\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t7\n")
	if want := (memory{1 << 20, 2 << 20}); got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := parseStatus("Name:\tkthreadd\n"); err == nil {
		t.Error("a status without memory is no error, want one")
	}
	if _, err := parseStatus("VmHWM:\tmuch\nVmRSS:\t1 kB\n"); err == nil || !strings.Contains(err.Error(), "VmHWM") {
		t.Errorf("a VmHWM that is no number: %v, want an error that names it", err)
	}
}

// This process has both, whatever they are.
func TestReadsThisProcess(t *testing.T) {
	t.Parallel()
	if system() != nil {
		t.Skip(system())
	}
	if _, err := cpuOf(os.Getpid()); err != nil {
		t.Error(err)
	}
	if m, err := memoryOf(os.Getpid()); err != nil || m.now <= 0 || m.peak < m.now/2 {
		t.Errorf("memory is %+v, %v", m, err)
	}
}
