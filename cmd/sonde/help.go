package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// exampleMark begins the lines of a Help text that show a call. They stand at the end of the page,
// below the flags, where a reader looks for them.
const exampleMark = "Example: "

// rootExample stands below the list of commands.
const rootExample = "sonde demo --once"

// printHelp prints a page of help, and its examples below everything else.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
	}
	text, examples := cutExamples(node.Detail)
	if node == ctx.Model.Node {
		examples = append(examples, rootExample)
	}
	node.Detail = text
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || options.Summary {
		return err
	}
	for i, line := range examples {
		if i == 0 {
			fmt.Fprintln(ctx.Stdout)
		}
		if _, err := fmt.Fprintln(ctx.Stdout, exampleMark+line); err != nil {
			return err
		}
	}
	return nil
}

// cutExamples parts a Help text into what it says and the calls that it shows.
func cutExamples(help string) (text string, examples []string) {
	var rest []string
	for _, line := range strings.Split(help, "\n") {
		if call, ok := strings.CutPrefix(line, exampleMark); ok {
			examples = append(examples, call)
		} else {
			rest = append(rest, line)
		}
	}
	return strings.TrimSpace(strings.Join(rest, "\n")), examples
}
