package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// completions are command lines, each with what the word at its end may become. A script adds files.
var completions = []struct {
	line string
	want []string
}{
	{"sonde che", []string{"check"}},
	{"sonde c", []string{"check", "completion"}},
	{"sonde __c", nil},
	{"sonde help che", []string{"check"}},
	{"sonde check --form", []string{"--format"}},
	{"sonde check --format j", []string{"json", "junit"}},
	{"sonde check --format=j", []string{"--format=json", "--format=junit"}},
	{"sonde check --format=", []string{"--format=auto", "--format=text", "--format=json", "--format=github", "--format=sarif", "--format=junit", "--format=gitlab"}},
	{"sonde once -o js", []string{"json"}},
	{"sonde check --explain unknown-p", []string{"unknown-profile"}},
	{"sonde check --print --ori", []string{"--origin"}},
	{"sonde check ", []string{"folder", "my probes.yaml", "probes.yaml", "team.yml"}},
	{"sonde check --config.file=te", []string{"--config.file=team.yml"}},
	{"sonde run --web.config.file no", []string{"notes.txt"}},
	{"sonde once h", []string{"home"}},
	{"sonde once off", nil},
	{"sonde explain h", []string{"home"}},
	{"sonde explain off", []string{"off"}},
	{"sonde explain te", []string{"team.yml"}},
	{"sonde once team.yml api", []string{"api.eu", "api.us"}},
	{"sonde once --config.file=team.yml --output=json api.u", []string{"api.us"}},
	{"sonde once --config.file team.yml api.e", []string{"api.eu"}},
	{`sonde once my\ probes.yaml o`, []string{"other"}},
	{"sonde once -- ho", []string{"home"}},
	{"sonde once folder/broken.yaml ho", nil},
	{"sonde plan --probe secr", []string{"secret"}},
	{"sonde plan team.yml --probe=api.e", []string{"--probe=api.eu"}},
	{"sonde diff probes.yaml te", []string{"team.yml"}},
	{"sonde diff a b ", nil},
	{"sonde completion f", []string{"fish"}},
	{"sonde version ", nil},
	{"sonde schema --te", []string{"--tests"}},
	{"sonde frobnicate ", []string{}},
}

// completionFolder is a folder with files that can be completed.
func completionFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"probes.yaml": "probes:\n- {name: home, tcp: {address: 'a:1'}}\n- {name: off, enabled: false, tcp: {address: 'a:1'}}\n" +
			"- {name: secret, http: {url: '${SONDE_TEST_NOT_SET}'}}\n",
		"team.yml":           "probes:\n- {name: api, targets: [eu, us], tcp: {address: '{{target}}:1'}}\n",
		"my probes.yaml":     "probes:\n- {name: other, tcp: {address: 'a:1'}}\n",
		"folder/broken.yaml": "probes:\n- {name: home}\n",
		"notes.txt":          "",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

// shell runs a program of a shell in a folder, and returns the lines that it prints.
func shell(t *testing.T, dir, name string, args ...string) []string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("this machine has no %s", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// lines are those of a text that hold something; nil for none.
func linesOf(found []string) (list []string) {
	for _, line := range found {
		if line != "" {
			list = append(list, line)
		}
	}
	return list
}

// bashWords are the words of a line as bash has them in COMP_WORDS: = and : are words, too.
var bashWords = regexp.MustCompile(`(?:\\.|[^\\ =:])+|[=:]+`)

// TestBashCompletes asks the script what it puts into COMPREPLY, with which bash replaces what stands
// after the last = or : of the line.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	dir := completionFolder(t)
	for _, c := range completions {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			words := bashWords.FindAllString(c.line, -1)
			if strings.HasSuffix(c.line, " ") {
				words = append(words, "")
			}
			program := `source <(sonde completion bash); COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _sonde; printf '%s\n' "${COMPREPLY[@]}"`
			got := linesOf(shell(t, dir, "bash", append([]string{"--norc", "-c", program, "bash", c.line}, words...)...))
			compareCompletions(t, c.want, got, func(want string) string {
				if flag, value, ok := strings.Cut(want, "="); ok && strings.HasPrefix(flag, "--") && strings.Contains(c.line, flag+"=") {
					return value
				}
				return want
			})
		})
	}
}

// TestFishCompletes asks fish what it would offer.
func TestFishCompletes(t *testing.T) {
	t.Parallel()
	dir := completionFolder(t)
	for _, c := range completions {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			found := shell(t, dir, "fish", "--no-config", "-c", "sonde completion fish | source; complete -C $argv[1]", c.line)
			var got []string
			for _, line := range linesOf(found) {
				text, _, _ := strings.Cut(line, "\t")
				got = append(got, strings.TrimSuffix(text, "/"))
			}
			compareCompletions(t, c.want, got, nil)
		})
	}
}

// TestZshCompletes holds what the script hands to zsh's own functions, which need a terminal.
func TestZshCompletes(t *testing.T) {
	t.Parallel()
	dir := completionFolder(t)
	program := `compdef() { : }
_describe() { print -rl -- "${(@P)3}" }
compset() { [[ ${words[CURRENT]} == --*=* ]] && prefix="${words[CURRENT]%%=*}=" && words[CURRENT]="${words[CURRENT]#*=}" }
_files() { for f in *(N); do [[ $1 != -g || -d $f || $f == *.(yaml|yml) ]] && [[ $f == ${words[CURRENT]}* ]] && print -r -- "$prefix$f"; done; true }
source <(sonde completion zsh)
words=("${(@Q)${(@z)1}}"); [[ $1 == *' ' ]] && words+=('')
CURRENT=${#words}
_sonde; true`
	for _, c := range completions {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, line := range linesOf(shell(t, dir, "zsh", "-f", "-c", program, "zsh", c.line)) {
				text, _, _ := strings.Cut(line, ":")
				got = append(got, text)
			}
			compareCompletions(t, c.want, got, nil)
		})
	}
}

// compareCompletions compares without regard to order. as is how the shell has a candidate; nil as it is.
func compareCompletions(t *testing.T, want, got []string, as func(string) string) {
	t.Helper()
	wanted, found := map[string]bool{}, map[string]bool{}
	for _, w := range want {
		if as != nil {
			w = as(w)
		}
		wanted[w] = true
	}
	for _, g := range got {
		found[g] = true
	}
	if diff := cmp.Diff(wanted, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCompletionKnowsTheHelp holds that candidates come with what they mean, for the shells that show it.
func TestCompletionKnowsTheHelp(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"che":                  "check\tSay all that is wrong with files.\n",
		"check --explain no-p": "no-probes\tThe list of probes is empty, or all of them are disabled.\n",
		"check --lint":         "--lint-fatal\tExit 3 when there are warnings\n",
	} {
		var out, err strings.Builder
		args := append([]string{"__complete", "--"}, strings.Split(line, " ")...)
		if code := dispatch(t.Context(), args, &out, &err); code != statusOK || out.String() != want || err.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q, want %q", line, code, out.String(), err.String(), want)
		}
	}
}

// TestEveryArgumentCompletes: no command has an argument of which completion has never heard.
func TestEveryArgumentCompletes(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, &terminal{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		for _, argument := range command.Positional {
			if !command.Hidden && len(sourcesOf(argument)) == 0 {
				t.Errorf("sonde %s: nothing completes %s", command.Name, argument.Name)
			}
		}
	}
}
