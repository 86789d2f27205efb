package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"sonde/probe/schedule"
)

// cli is the table of commands: one row each, and one file each.
type cli struct {
	Run  runCommand  `cmd:"" help:"Probe at intervals, serve metrics and a page."`
	Once onceCommand `cmd:"" set:"concurrency=100" help:"Probe once and print what came of it."`
	//lint:ignore SA5008 kong takes set more than once
	Explain explainCommand `cmd:"" set:"concurrency=100" set:"level=error" help:"Run one probe once and tell all that happened; or print its request for curl."`
	Init    initCommand    `cmd:"" help:"Write a first file, and its schema for editors."`
	Check   checkCommand   `cmd:"" help:"Say all that is wrong with files."`
	Test    testCommand    `cmd:"" help:"Test what probes do, by scripts of their endpoints, in virtual time."`
	Plan    planCommand    `cmd:"" help:"Compute what files will do: requests, longest runs, series, memory."`
	Diff    diffCommand    `cmd:"" help:"Compare two states of the files: probes, values, load."`
	//lint:ignore SA5008 kong takes set more than once
	Demo        demoCommand        `cmd:"" set:"listen=127.0.0.1:10115" set:"level=error" help:"Probe endpoints of its own: up, flaky and down, without a network."`
	Schema      schemaCommand      `cmd:"" help:"Print the JSON Schema of the files, for editors."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
	Healthcheck healthcheckCommand `cmd:"" help:"Ask the sonde that runs here whether it is healthy."`
	Completion  completionCommand  `cmd:"" help:"Print a script of completion for a shell."`
	Complete    completeCommand    `cmd:"" name:"__complete" hidden:"" passthrough:""`

	ShowVersion versionFlag `name:"version" help:"Print the version."`
}

const about = `Probe the endpoints that a YAML file declares, retry within a declared budget, and tell flaky from down.

Try: sonde demo`

// command is what a row of the table can do. What it returns is reported by terminal.report.
type command interface {
	run(ctx context.Context, t *terminal) error
}

// helped is what kong is made to panic with once it has printed a help page or the version, since it
// would go on.
type helped struct{}

// parse finds the command that the arguments name, with its flags filled. It is nil when help was asked
// for and has been printed.
func parse(args []string, t *terminal) (cmd command, err error) {
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c cli
	parser, err := newParser(&c, t)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r == (helped{}) {
			cmd, err = nil, nil
		} else if r != nil {
			panic(r)
		}
	}()
	chosen, err := parser.Parse(args)
	if err != nil {
		return nil, usage(err)
	}
	t.command = chosen.Selected().Name
	return chosen.Selected().Target.Addr().Interface().(command), nil
}

func newParser(c *cli, t *terminal) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("sonde"), kong.Description(about), kong.Writers(t.out, t.err),
		kong.Vars{"listen": ":10115", "level": "info", "concurrency": strconv.Itoa(schedule.DefaultConcurrency)},
		kong.Exit(func(int) { panic(helped{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.Help(printHelp), kong.ShortUsageOnError(), kong.KindMapper(reflect.String, kong.MapperFunc(asTyped)),
	)
}

// asTyped takes a word of the command line as it is: kong's own mapper takes it through JSON, and what is not
// UTF-8, as names of files may be, would be another word behind it.
func asTyped(c *kong.DecodeContext, to reflect.Value) error {
	token, err := c.Scan.PopValue("string")
	if err != nil {
		return err
	}
	word, ok := token.Value.(string)
	if !ok {
		return fmt.Errorf("got %v, want a text", token.Value)
	}
	to.SetString(word)
	return nil
}

var (
	didYouMean   = regexp.MustCompile(`^(.*), did you mean (?:one of )?(.*)\?$`)
	missingValue = regexp.MustCompile(`^(\S+): expected .* value but got "EOL".*$`)
	likeFlag     = regexp.MustCompile(`^(\S+): expected .* value but got ("-.*") \(.*\); perhaps try .*$`)
	missingWords = regexp.MustCompile(`^expected "(<.*)"$`)
	strayWord    = regexp.MustCompile(`^unexpected argument (.*)$`)
)

// usage puts kong's complaint into a sentence and a hint.
func usage(err error) error {
	var unwritten *fs.PathError
	if errors.As(err, &unwritten) {
		return cannot(unwritten, "") // help or version, which nobody has got
	}
	text, hint := err.Error(), ""
	if m := didYouMean.FindStringSubmatch(text); m != nil {
		text, hint = m[1], "did you mean "+strings.ReplaceAll(m[2], `"`, "")+"?"
	}
	text = strings.Replace(text, `,"" but got`, " but got", 1) // which is the default, and is not typed
	text = missingValue.ReplaceAllString(text, "$1 wants a value")
	text = likeFlag.ReplaceAllString(text, "$1 wants a value, and $2 looks like a flag")
	name := ""
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil {
		name = p.Context.Selected().Name
		if m := missingWords.FindStringSubmatch(text); m != nil {
			text = missing(p.Context.Selected(), m[1])
		}
		hint = cmp.Or(hint, longerFlag(p.Context.Selected(), text))
	}
	stray := strayWord.FindStringSubmatch(text)
	switch {
	case stray != nil && strings.Contains(stray[1], "@"):
		text, hint = "unexpected argument, not shown since it has an @ as passwords in URLs do", cmp.Or(hint, "a URL may want its flag before it")
	case name == "" && stray != nil:
		text, hint = fmt.Sprintf("there is no command %q", stray[1]), cmp.Or(hint, noCommand(stray[1]))
	case name == "":
		hint = cmp.Or(hint, "flags stand after the command: sonde --help lists the commands")
	default:
		hint = cmp.Or(hint, fmt.Sprintf("sonde %s --help shows its flags and an example", name))
	}
	return cannot(errors.New(text), hint)
}

// longerFlag is the hint for a flag that stands without what ours begins with, as --listen-address does for
// --web.listen-address; empty when none ends so.
func longerFlag(node *kong.Node, text string) string {
	name, ok := strings.CutPrefix(text, "unknown flag --")
	if !ok || name == "" {
		return ""
	}
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			if strings.HasSuffix(f.Name, "."+name) {
				return "did you mean --" + f.Name + "?"
			}
		}
	}
	return ""
}

// missing says which arguments a command wants, and which of them are not there: kong's list of those.
func missing(node *kong.Node, list string) string {
	var wanted, gone []string
	for _, v := range node.Positional {
		if v.Required {
			wanted = append(wanted, v.Name)
		}
		if strings.Contains(list, "<"+v.Name+">") {
			gone = append(gone, v.Name)
		}
	}
	text := "want a " + wanted[0]
	if len(wanted) == 2 {
		text = fmt.Sprintf("want two %ss, %s", cmp.Or(strings.TrimSuffix(sources[wanted[0]], "s"), "argument"), strings.Join(wanted, " and "))
	}
	if len(gone) > 0 && len(gone) < len(wanted) {
		text += ", and there is no " + strings.Join(gone, " and ")
	}
	return node.Name + ": " + text
}

// noCommand is a hint for who has forgotten the command.
func noCommand(word string) string {
	if isYAML(word) {
		return fmt.Sprintf("did you mean sonde run %s, or sonde once %s?", word, word)
	}
	return "sonde --help lists the commands"
}
