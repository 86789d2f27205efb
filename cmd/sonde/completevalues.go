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
		case "probes":
			for _, name := range c.probes() {
				list = candidate(list, prefix, word, name, "")
			}
		default:
			list = append(list, ":"+source)
		}
	}
	return list
}

// sources say what stands for a word of the help: FILE, PROBE. What is not here completes to nothing.
var sources = map[string]string{
	"FILE": "files", "OLD": "files", "NEW": "files", "PROBE": "probes", "RULE": "rules", "SHELL": "shells",
}

// sourcesOf are the sources of a flag's or an argument's values, each of them of one of the words that its
// placeholder has, as in FILE|PROBE.
func sourcesOf(v *kong.Value) (list []string) {
	words := v.Name
	switch {
	case v.Name == "config.file":
		return []string{"files"}
	case v.Flag != nil && v.Flag.PlaceHolder == "FILE":
		return []string{"any"}
	case v.Flag != nil:
		words = v.Flag.PlaceHolder
	}
	for word := range strings.SplitSeq(words, "|") {
		if source, ok := sources[word]; ok {
			list = append(list, source)
		}
	}
	return list
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

// completeTimeout bounds how long a shell waits for the names of probes. Tests alone change it.
var completeTimeout = 2 * time.Second

// probes are the names of the probes in the files that the command line names so far, of disabled ones only
// where they can be explained. A file that does not load has none that can be told.
func (c *completion) probes() []string {
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
	if c.node.Name == "explain" {
		return set.Names()
	}
	disabled := set.Disabled()
	return slices.DeleteFunc(set.Names(), func(name string) bool { _, off := disabled[name]; return off })
}
