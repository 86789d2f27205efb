package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"sonde/probe/conn"
	"sonde/schema"
)

// values are the candidates for a value, each after the flag to which it is joined.
func (c *completion) values(v *kong.Value, prefix, word string) (list []string) {
	if v.Enum != "" {
		for _, one := range v.EnumSlice() {
			if one != "" {
				list = candidate(list, prefix, word, one, "")
			}
		}
		return list
	}
	for _, source := range sourcesOf(v) {
		switch source {
		case "rules":
			for _, r := range schema.Rules() {
				list = candidate(list, prefix, word, r.Name, r.Help)
			}
			list = candidate(list, prefix, word, "all", "")
		case "shells":
			for _, name := range shells {
				list = candidate(list, prefix, word, name, "")
			}
		case "probes", "declared":
			for _, name := range c.probes(source == "declared") {
				list = candidate(list, prefix, word, name, "")
			}
		default:
			list = append(list, ":"+source)
		}
	}
	return list
}

// sources say what stands for a word of the help: FILE, NAME. What is not here completes to nothing. Probes are
// those that run, and declared are all.
var sources = map[string][]string{
	"FILE": {"files"}, "OLD": {"files"}, "NEW": {"files"}, "FILE|NAME": {"probes", "files"}, "FILE|PROBE": {"declared", "files"},
	"NAME": {"probes"}, "PROBE": {"probes"}, "RULE": {"rules"}, "SHELL": {"shells"},
}

// sourcesOf are the sources of a flag's or an argument's values.
func sourcesOf(v *kong.Value) []string {
	switch {
	case v.Name == "config.file":
		return []string{"files"}
	case v.Flag != nil && v.Flag.PlaceHolder == "FILE":
		return []string{"any"}
	case v.Flag != nil:
		return sources[v.Flag.PlaceHolder]
	}
	return sources[v.Name]
}

// unquoted are words as the shell will hand them over: those that name files may have quotes, backslashes
// and the home folder's ~ in them.
func unquoted(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		if rest, ok := strings.CutPrefix(w, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				w = filepath.Join(home, rest)
			}
		}
		list[i] = quoting.ReplaceAllString(w, "$1")
	}
	return list
}

// quoting is a quote, or a backslash and what it takes literally.
var quoting = regexp.MustCompile(`\\(.)|["']`)

// completeTimeout bounds how long a shell waits for the names of probes.
const completeTimeout = 2 * time.Second

// probes are the names of the probes in the files that the command line names so far, of disabled ones
// where they are wanted. A file that does not load has none that can be told.
func (c *completion) probes(disabledToo bool) []string {
	ctx, cancel := context.WithTimeout(c.ctx, completeTimeout)
	defer cancel()
	network := conn.New(conn.Options{})
	defer network.Close()
	files, _ := splitArgs(unquoted(c.args))
	src := sourceIn(secretFlags{NoSecrets: true}.world(), fileFlags{ConfigFile: unquoted(c.files)}, files, network)
	set, err := src.load(ctx)
	if err != nil {
		return nil
	}
	defer closeAll(set.Probes)
	if disabledToo {
		return set.Names()
	}
	disabled := set.Disabled()
	return slices.DeleteFunc(set.Names(), func(name string) bool { _, off := disabled[name]; return off })
}
