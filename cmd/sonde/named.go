package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sonde/probe"
	"sonde/schema"
)

// Which probes the words of a command line mean is decided here, for all commands alike: a name means its
// probe, a pattern such as 'api.*' those whose names match, and a probe that has targets is none itself.

// named are the declared probes that the words mean, in the order of the files. A word that means none is
// an error; otherwise is the hint where nothing is near.
func named(all []schema.Declared, words []string, otherwise string) (chosen []schema.Declared, err error) {
	for _, word := range words {
		if !slices.ContainsFunc(all, func(d schema.Declared) bool { return means(word, d.Name) }) {
			return nil, notDeclared(word, all, otherwise)
		}
	}
	for _, d := range all {
		if slices.ContainsFunc(words, func(word string) bool { return means(word, d.Name) }) {
			chosen = append(chosen, d)
		}
	}
	return chosen, nil
}

// isPattern is true of what no name can be.
func isPattern(word string) bool { return strings.ContainsAny(word, "*?[") }

// means reports whether a word, a name or a pattern of names, means the probe of a name.
func means(word, name string) bool {
	if !isPattern(word) {
		return word == name
	}
	matches, err := path.Match(word, name)
	return err == nil && matches
}

// notDeclared says what may have been meant. One of several targets bears the name of the probe that has
// them, and its own after a dot.
func notDeclared(word string, all []schema.Declared, otherwise string) error {
	if _, err := path.Match(word, ""); err != nil {
		return cannot(fmt.Errorf("%q is no pattern of names", word), "a pattern has * for any text, ? for a character, [a-c] for one of some, as in 'api.*'")
	}
	if isPattern(word) {
		return cannot(fmt.Errorf("no probe has a name like %q", word), otherwise)
	}
	var targets, others []string
	for _, d := range all {
		others = append(others, d.Name)
		if d.Base == word {
			targets = append(targets, d.Name)
		}
	}
	if len(targets) > 0 {
		return cannot(fmt.Errorf("probe %q has %s", word, count(len(targets), "target")),
			"name one, as in "+targets[0]+", or all of them: '"+word+".*'")
	}
	hint := otherwise
	if near := nearest(word, others); near != "" {
		hint = "did you mean " + near + "?"
	}
	return cannot(fmt.Errorf("there is no probe %q", word), hint)
}

// pick are the probes of a set that the words mean, in the order of the files; all without a word. Of what a
// pattern means those that are disabled are left out; to name one of them is an error, and so is a word that
// means nothing else.
func pick(set *schema.Set, words []string, otherwise string) ([]*probe.Probe, error) {
	if len(words) == 0 {
		return set.Probes, nil
	}
	chosen, err := named(set.Declared(), words, otherwise)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		if err := enabled(set, chosen, word); err != nil {
			return nil, err
		}
	}
	wanted := map[string]bool{}
	for _, d := range chosen {
		wanted[d.Name] = true
	}
	var picked []*probe.Probe
	for _, p := range set.Probes {
		if wanted[p.Name] {
			picked = append(picked, p)
		}
	}
	return picked, nil
}

// enabled is the failure of who wants to do something with probes all of which the files disable.
func enabled(set *schema.Set, chosen []schema.Declared, word string) error {
	off := ""
	for _, d := range chosen {
		switch {
		case !means(word, d.Name):
		case d.Enabled:
			return nil
		default:
			off = d.Name
		}
	}
	hint := "sonde explain " + off + " runs it once all the same; to have it run with the others take enabled: false away"
	if isPattern(word) {
		return cannot(fmt.Errorf("all probes with a name like %q are disabled", word), hint)
	}
	return cannot(fmt.Errorf("the probe %q is disabled: enabled: false stands at %s", off, set.Disabled()[off]), hint)
}

// errNoName is the failure of a command that is about certain probes and was told none.
var errNoName = errors.New("no probe is named, want its name")
