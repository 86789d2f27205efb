package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the top of the repository, seen from this package.
const root = "../.."

// instruction is one of a Dockerfile: FROM, COPY, …, and all that follows it.
type instruction struct{ word, rest string }

// dockerfile reads the instructions, comments left out and continued lines joined.
func dockerfile(t *testing.T, text string) []instruction {
	t.Helper()
	text = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, " ")
	var all []instruction
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word != "" {
			all = append(all, instruction{strings.ToUpper(word), strings.TrimSpace(rest)})
		}
	}
	return all
}

// last is what follows the last instruction of that name, which is the one that counts.
func last(all []instruction, word string) string {
	for _, in := range slices.Backward(all) {
		if in.word == word {
			return in.rest
		}
	}
	return ""
}

// execForm is the command of an instruction in exec form, nil when it is in another.
func execForm(rest string) []string {
	var words []string
	if json.Unmarshal([]byte(rest), &words) != nil {
		return nil
	}
	return words
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDockerfileStages(t *testing.T) {
	t.Parallel()
	all := dockerfile(t, readFile(t, "Dockerfile"))
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "go.mod"))[1]
	var images []string
	for _, in := range all {
		if in.word == "FROM" {
			images = append(images, strings.Fields(in.rest)[0])
		}
	}
	if want := []string{"golang:" + version, "scratch"}; !slices.Equal(images, want) {
		t.Errorf("the stages are from %q, want %q: the toolchain of go.mod, then nothing", images, want)
	}
	build := last(all, "RUN")
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-tags timetzdata", "-X main.version=${VERSION}", "./cmd/sonde"} {
		if !strings.Contains(build, want) {
			t.Errorf("the build is %q, want it to contain %q", build, want)
		}
	}
}

func TestDockerfileRunsAsNobody(t *testing.T) {
	t.Parallel()
	user := last(dockerfile(t, readFile(t, "Dockerfile")), "USER")
	if !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user) {
		t.Errorf("USER is %q, want two numbers above 0, such as 65532:65532", user)
	}
}

// TestDockerfileCommands holds that what the image runs is in exec form, since it has no shell, and
// that sonde understands it.
func TestDockerfileCommands(t *testing.T) {
	t.Parallel()
	all := dockerfile(t, readFile(t, "Dockerfile"))
	entry := execForm(last(all, "ENTRYPOINT"))
	_, health, _ := strings.Cut(last(all, "HEALTHCHECK"), " CMD ")
	if !slices.Equal(entry, []string{"/sonde"}) {
		t.Fatalf("ENTRYPOINT is %q, want [\"/sonde\"]", entry)
	}
	for what, words := range map[string][]string{
		"CMD":         append(entry, execForm(last(all, "CMD"))...),
		"HEALTHCHECK": execForm(health),
	} {
		if len(words) < 2 || words[0] != "/sonde" {
			t.Errorf("%s runs %q, want /sonde and a command, in exec form", what, words)
			continue
		}
		understood(t, what+" of the Dockerfile", words[1:])
	}
}

func TestDockerfileCopiesWhatIsThere(t *testing.T) {
	t.Parallel()
	var copied []string
	for _, in := range dockerfile(t, readFile(t, "Dockerfile")) {
		words := strings.Fields(in.rest)
		if in.word != "COPY" || strings.HasPrefix(words[0], "--from=") {
			continue
		}
		copied = append(copied, words[:len(words)-1]...)
	}
	ignored := strings.Split(readFile(t, ".dockerignore"), "\n")
	for _, name := range copied {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("the Dockerfile copies what is not there: %v", err)
		}
		if !slices.Contains(ignored, "!"+path.Clean(name)) {
			t.Errorf("the Dockerfile copies %s, which .dockerignore leaves out; want the line !%s there", name, name)
		}
	}
	for _, folder := range foldersOfGo(t) {
		if !slices.Contains(copied, folder) {
			t.Errorf("the Dockerfile copies %q, want also %s: it holds packages of the program", copied, folder)
		}
	}
}

// foldersOfGo are the folders at the top of the repository that hold packages of Go.
func foldersOfGo(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(file), root+"/"), "/")
			if !strings.HasPrefix(name, ".") && !strings.HasSuffix(file, "_test.go") {
				folders = append(folders, name)
			}
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// understood holds that sonde takes these arguments.
func understood(t *testing.T, where string, args []string) {
	t.Helper()
	if _, err := parse(args, newTerminal(t.Output(), t.Output())); err != nil {
		t.Errorf("%s runs sonde %s: %v", where, strings.Join(args, " "), err)
	}
}
