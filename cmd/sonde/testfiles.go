package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/schema"
)

// This file chooses what the command test runs: files, and tests in them.

// testFilesOf are the files of tests that an argument names: a file, those that a pattern matches, or
// those of a folder. Hidden files and subfolders are not read, nor are files of probes among the tests.
func testFilesOf(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return testsIn(arg)
	case err == nil || !strings.ContainsAny(arg, "*?["):
		return []string{arg}, nil // what is not there is said where it is read
	}
	names, err := filepath.Glob(arg)
	if err != nil {
		return nil, fmt.Errorf("%s is no pattern of files, want one such as tests/*.yaml", arg)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file matches %s", arg)
	}
	return names, nil
}

// testsIn are the files of tests of a folder.
func testsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if isYAML(e.Name()) && !strings.HasPrefix(e.Name(), ".") && !isFolder(name) && !declaresProbes(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("folder %s holds no file of tests, named *.yaml or *.yml", folder)
	}
	return names, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// declaresProbes is true of a file of probes. One that cannot be read, or is neither, is taken for one of
// tests: then what is wrong with it is said.
func declaresProbes(name string) bool {
	data, err := schema.System().ReadFile(name, 32<<20)
	var top map[string]yaml.Node
	if err != nil || yaml.Unmarshal(data, &top) != nil {
		return false
	}
	_, tests := top["tests"]
	list := top["probes"]
	mappings := list.Kind == yaml.SequenceNode && len(list.Content) > 0 && list.Content[0].Kind == yaml.MappingNode
	_, profiles := top["profiles"]
	_, defaults := top["defaults"]
	_, include := top["include"]
	return !tests && (mappings || profiles || defaults || include)
}

// selection chooses tests by their names. The zero value chooses all.
type selection []*regexp.Regexp

// selectionOf compiles what stands after --run.
func selectionOf(expressions []string) (selection, error) {
	var s selection
	for _, text := range expressions {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("--run is %q, want a regular expression (RE2): %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		s = append(s, re)
	}
	return s, nil
}

func (s selection) has(name string) bool {
	return len(s) == 0 || slices.ContainsFunc(s, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// unmatched are the expressions that choose none of these names.
func (s selection) unmatched(names []string) (list []string) {
	for _, re := range s {
		if !slices.ContainsFunc(names, re.MatchString) {
			list = append(list, re.String())
		}
	}
	return list
}

// maxTestsNamed is how many tests a hint names.
const maxTestsNamed = 8

// noSuchTest is the failure of expressions that choose no test.
func noSuchTest(expressions, names []string) error {
	if len(names) == 0 {
		return cannot(errors.New("there is no test in what was named"), "")
	}
	hint := "the tests are: " + strings.Join(names[:min(len(names), maxTestsNamed)], "; ")
	if more := len(names) - maxTestsNamed; more > 0 {
		hint += fmt.Sprintf("; and %d more", more)
	}
	return cannot(fmt.Errorf("no test matches --run %s", strings.Join(expressions, ", nor --run ")), hint)
}
