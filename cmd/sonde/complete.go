package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completeCommand is what the scripts of completion ask: the words of a command line up to the cursor,
// the last of which is to be completed and may be empty. Each line of the answer is a candidate and,
// after a tab, what it means. A line that begins with a colon is for the script: ":files" says that files
// of YAML, and folders, are candidates, too, and ":any" that all files are.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

func (c *completeCommand) run(ctx context.Context, t *terminal) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	parser, err := newParser(&cli{}, t)
	if err != nil {
		return err
	}
	for _, line := range newCompletion(ctx, parser.Model.Node, words).answer() {
		if _, err := fmt.Fprintln(t.out, line); err != nil {
			return err
		}
	}
	return nil
}

// completion is a command line of which a word is to be completed.
type completion struct {
	ctx   context.Context
	node  *kong.Node // the command, or the program while there is none
	word  string     // what there is of the word
	args  []string   // the arguments before it
	files []string   // what --config.file names
	of    *kong.Flag // whose value the word is; nil when it is none
	plain bool       // after --, where no flags are
}

// newCompletion reads the words before the last.
func newCompletion(ctx context.Context, root *kong.Node, words []string) *completion {
	c := &completion{ctx: ctx, node: root}
	last := len(words) - 1
	for _, w := range words[:last] {
		c.read(w)
	}
	c.word = words[last]
	return c
}

// read takes a word that is complete.
func (c *completion) read(word string) {
	name, value, joined := strings.Cut(word, "=")
	switch {
	case c.of != nil:
		c.take(c.of, word)
		c.of = nil
	case c.plain || !strings.HasPrefix(word, "-") || word == "-":
		c.argument(word)
	case word == "--":
		c.plain = true
	default:
		f := c.flag(name)
		if f != nil && joined {
			c.take(f, value)
		} else if f != nil && !f.IsBool() {
			c.of = f
		}
	}
}

// argument takes a word that is no flag: the name of a command, or an argument of it.
func (c *completion) argument(word string) {
	if c.node.Type == kong.ApplicationNode {
		for _, child := range c.node.Children {
			if child.Name == word {
				c.node = child
				return
			}
		}
	}
	c.args = append(c.args, word)
}

// take takes the value of a flag.
func (c *completion) take(f *kong.Flag, value string) {
	if f.Name == "config.file" {
		c.files = append(c.files, value)
	}
}

// flags are those of the command, and those of the program.
func (c *completion) flags() (list []*kong.Flag) {
	for _, group := range c.node.AllFlags(true) {
		list = append(list, group...)
	}
	return list
}

// flag is the flag of a name with its dashes; nil when there is none.
func (c *completion) flag(name string) *kong.Flag {
	for _, f := range c.flags() {
		if "--"+f.Name == name || f.Short != 0 && "-"+string(f.Short) == name {
			return f
		}
	}
	return nil
}

// answer is the lines of the answer.
func (c *completion) answer() []string {
	name, value, joined := strings.Cut(c.word, "=")
	switch {
	case c.of != nil:
		return c.values(c.of.Value, "", c.word)
	case !c.plain && strings.HasPrefix(c.word, "--") && joined:
		if f := c.flag(name); f != nil && !f.IsBool() {
			return c.values(f.Value, name+"=", value)
		}
		return nil
	case !c.plain && strings.HasPrefix(c.word, "-") && c.word != "-" || c.word == "-":
		return c.flagNames()
	case c.node.Type == kong.ApplicationNode && (len(c.args) == 0 || slices.Equal(c.args, []string{"help"})):
		return c.commands()
	case len(c.node.Positional) == 0:
		return nil
	}
	at := min(len(c.args), len(c.node.Positional)-1)
	if last := c.node.Positional[at]; len(c.args) > at && !last.IsSlice() {
		return nil
	}
	return c.values(c.node.Positional[at], "", c.word)
}

// candidate is a line of the answer when the word may become it.
func candidate(list []string, prefix, word, text, help string) []string {
	if !strings.HasPrefix(text, word) {
		return list
	}
	line := clean(prefix + text)
	if help != "" {
		line += "\t" + clean(help)
	}
	return append(list, line)
}

func (c *completion) commands() (list []string) {
	for _, child := range c.node.Children {
		if !child.Hidden {
			list = candidate(list, "", c.word, child.Name, child.Help)
		}
	}
	return list
}

func (c *completion) flagNames() (list []string) {
	for _, f := range c.flags() {
		if f.Hidden || f.Name == "version" && c.node.Type != kong.ApplicationNode {
			continue
		}
		help, _, _ := strings.Cut(f.Help, ". ")
		list = candidate(list, "", c.word, "--"+f.Name, strings.TrimSuffix(help, "."))
	}
	slices.Sort(list)
	return list
}
