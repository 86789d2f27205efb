package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestPrintedLimitsAreNotWarnedOf: what nobody chose is not warned of when it is printed, and what is
// warned of there is warned of in the original too.
func TestPrintedLimitsAreNotWarnedOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"probes:\n- {name: a, interval: 5s, retry: {attempts: 1}, plain: {address: a}}",
		"probes:\n- {name: a, timeout: {total: 3s}, plain: {address: a}}",
		"probes:\n- {name: a, interval: 10s, timeout: {total: 2s}, plain: {address: a}}",
		"probes:\n- {name: a, interval: 10s, timeout: {sock_read: 2s}, plain: {address: a}}",
		"probes:\n- {name: a, interval: 10s, timeout: {connect: 1s, sock_read: 2s}, plain: {address: a}}",
		"probes:\n- {name: a, interval: 10s, plain: {address: a}}",
		// limits of defaults and profiles that the probe's own beat
		"defaults: {timeout: {total: 20s, connect: 9s, sock_connect: 8s, sock_read: 7s}}\nprobes:\n- {name: a, timeout: {total: 3s}, plain: {address: a}}\n- {name: b, plain: {address: a}}",
		"defaults: {timeout: {connect: 9s}}\nprobes:\n- {name: a, timeout: {total: 3s}, plain: {address: a}}\n- {name: b, timeout: {total: 2s, sock_read: none}, plain: {address: a}}",
		"defaults: {interval: 1m, timeout: {total: 20s, sock_read: 2s}}\nprobes:\n- {name: a, interval: 10s, plain: {address: a}}",
		"defaults: {timeout: {total: 20s, sock_read: 2s}}\nprobes:\n- {name: a, deadline: 10s, plain: {address: a}}",
		"defaults: {timeout: {total: none, connect: 20s, sock_read: 2s}}\nprobes:\n- {name: a, deadline: 10s, plain: {address: a}}",
		"profiles: {p: {timeout: {sock_connect: 9s}}}\nprobes:\n- {name: a, use: p, timeout: {connect: 3s}, plain: {address: a}}",
		// those that are at fault themselves are warned of
		"defaults: {timeout: {total: 3s, connect: 9s}}\nprobes:\n- {name: a, plain: {address: a}}",
		"defaults: {timeout: {total: 3s}}\nprobes:\n- {name: a, timeout: {connect: 9s}, plain: {address: a}}",
	} {
		samePrinted(t, text)
	}
}

// TestPrintedLimitsOfOtherDefaults: one file can hold but one of the limits that defaults of several have.
// Where the built-in one has to hold, too, it holds none, and a limit is printed among the probe's own.
func TestPrintedLimitsOfOtherDefaults(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"other.yaml": "defaults: {timeout: {connect: 8s, sock_connect: 7s}}\nprobes:\n- {name: b, timeout: {total: 3s}, plain: {address: b}}\n",
	}
	text := "include: other.yaml\ndefaults: {timeout: {connect: 9s}}\nprobes:\n- {name: a, timeout: {total: 3s}, plain: {address: a}}\n"
	set, err := parseIn("probes.yaml", []byte(text), files)
	if err != nil {
		t.Fatal(err)
	}
	if got := printOf(t, set); !strings.HasPrefix(got, "defaults:\n  timeout:  # what the probes' own limits always beat\n    connect: 8s\nprobes:\n") ||
		strings.Count(got, "# never fires: connect: 8s\n") != 1 || strings.Count(got, "      connect: 9s\n") != 1 || strings.Count(got, "      sock_connect: 7s\n") != 1 {
		t.Errorf("got\n%s\nwant 8s below defaults, and all else with the probes", got)
	}
	printsItself(t, set, nil)
}

// samePrinted holds that what is printed of a file makes the same probes, and is warned of in the same way.
func samePrinted(t *testing.T, text string) {
	t.Helper()
	set, err := Parse("probes.yaml", []byte(text), fakeKinds())
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	printed := printOf(t, set)
	again, err := Parse("probes.yaml", []byte(printed), fakeKinds())
	if err != nil {
		t.Fatalf("%v in:\n%s", err, printed)
	}
	if len(again.Warnings) != len(set.Warnings) || len(set.Warnings) == 1 && again.Warnings[0].Rule != set.Warnings[0].Rule {
		t.Errorf("%s\nis warned of as %v, and printed as %v:\n%s", text, set.Warnings, again.Warnings, printed)
	}
	for i, p := range set.Probes {
		if got := again.Probes[i]; got.Digest != p.Digest || got.Limits != p.Limits {
			t.Errorf("%s\nmakes another probe when it is printed:\n%s", text, printed)
		}
	}
	if diff := cmp.Diff(printed, printOf(t, again)); diff != "" {
		t.Errorf("printed again it differs (-first +again):\n%s", diff)
	}
}

// TestPrintedLimitsOfTheCorpus: of every file of the corpus, what is printed is warned of as a limit that
// hangs or never fires only where the original is.
func TestPrintedLimitsOfTheCorpus(t *testing.T) {
	t.Parallel()
	for _, archive := range corpus(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range cases(a) {
			set, err := parseIn("probes.yaml", data, filesOf(a, name))
			if err != nil {
				continue
			}
			again, err := parseIn("probes.yaml", []byte(printOf(t, set)), filesOf(a, name))
			for _, rule := range []string{RuleHang, RuleNeverFires} {
				if err == nil && warnsOf(again, rule) && !warnsOf(set, rule) {
					t.Errorf("%s/%s is warned of only when it is printed: %v", archive, name, again.Warnings)
				}
			}
		}
	}
}

func warnsOf(set *Set, rule string) bool {
	return slices.ContainsFunc(set.Warnings, func(p Problem) bool { return p.Rule == rule })
}
