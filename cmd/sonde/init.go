package main

import (
	"context"
	_ "embed" // for the first file
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/schema"
)

type initCommand struct {
	File  string   `arg:"" optional:"" name:"FILE" default:"probes.yaml" help:"What is written; - prints it instead (default: ${default})."`
	URL   []string `name:"url" sep:"none" placeholder:"URL" help:"Make a probe of this, http://…, https://… or tcp://HOST:PORT, in place of the example; may be repeated."`
	Force bool     `help:"Write over what is there."`
}

// Help is shown by sonde init --help.
func (*initCommand) Help() string {
	return `Writes a file that sonde check has nothing to say about, and beside it sonde.schema.json, by which editors complete and check it. What is there already is left alone, but for a schema that sonde has written. Exits 0, and 2 when it could not.

Example: sonde init
Example: sonde init shop.yaml --url https://shop.example.com/ --url tcp://db.example.com:5432`
}

// schemaFile is what the JSON Schema is called beside a file of probes. Folders of probes are read by
// their *.yaml files, so it is none of those.
const schemaFile = "sonde.schema.json"

func (c *initCommand) run(_ context.Context, t *terminal) error {
	if strings.Contains(c.File, "://") {
		return cannot(fmt.Errorf("%s is a URL, and FILE is what is to be written", clean(c.File)), "did you mean sonde init --url "+clean(c.File)+"?")
	}
	text, probes, err := firstFile(c.URL)
	if err != nil {
		return cannot(err, "")
	}
	warned, err := judged(c.File, text)
	if err != nil {
		return err
	}
	if c.File == "-" {
		t.say("sonde schema > %s writes what the first line names", schemaFile)
		_, err := t.out.Write(text)
		return err
	}
	if err := c.write(text); err != nil {
		return err
	}
	for _, w := range warned {
		fmt.Fprintln(t.err, clean(w.String()))
	}
	_, err = fmt.Fprintf(t.out, "%s: %s\n%s: for your editor\nNext: sonde check%s, sonde once%s\n", clean(c.File), count(probes, "probe"),
		clean(c.beside()), c.argument(), c.argument())
	return err
}

// argument is the file as it is typed after a command that reads probes.yaml by itself.
func (c *initCommand) argument() string {
	if c.File == defaultFile {
		return ""
	}
	return " " + clean(c.File)
}

func (c *initCommand) beside() string { return filepath.Join(filepath.Dir(c.File), schemaFile) }

// write writes the schema first, so that the file never names one that is not there.
func (c *initCommand) write(text []byte) error {
	info, err := os.Stat(c.File)
	switch {
	case err == nil && info.IsDir():
		return cannot(fmt.Errorf("%s is a folder", c.File), "name a file in it, as in: sonde init "+filepath.Join(c.File, defaultFile))
	case err == nil && !c.Force:
		return cannot(fmt.Errorf("%s is there already", c.File), "sonde init - prints what would be written; --force writes over it")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return unwritten(c.File, err)
	}
	if err := c.writeSchema(); err != nil {
		return err
	}
	return unwritten(c.File, writeWhole(c.File, text, c.Force))
}

// writeSchema writes the schema, over one that sonde has written, too.
func (c *initCommand) writeSchema() error {
	have, err := os.ReadFile(c.beside())
	ours := err == nil && strings.Contains(string(have[:min(len(have), 200)]), "cmd/gendocs")
	if err == nil && !ours && !c.Force {
		return cannot(fmt.Errorf("%s is there already, and is not sonde's", c.beside()), "move it away; --force writes over it")
	}
	return unwritten(c.beside(), writeWhole(c.beside(), schema.JSONSchema(), err == nil))
}

// unwritten is the failure of a file that could not be written; nil without an error.
func unwritten(name string, err error) error {
	var p *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		err = p.Err
	}
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		hint = "make the folder " + filepath.Dir(name) + " first"
	}
	return cannot(fmt.Errorf("writing %s: %w", name, err), hint)
}

//go:embed init.yaml
var initHead string

//go:embed init_example.yaml
var initExample string

// firstFile is the text of a first file, and how many probes it has.
func firstFile(urls []string) (text []byte, probes int, err error) {
	head := strings.Replace(initHead, "SCHEMA", schemaFile, 1)
	if len(urls) == 0 {
		return []byte(head + initExample), 1, nil
	}
	list, err := probesOfURLs(urls)
	return []byte(head + list), len(urls), err
}

// judged holds the text to what sonde check says of it. A credential in a URL would stand in the file.
func judged(name string, text []byte) (warnings []schema.Problem, err error) {
	network := conn.New(conn.Options{})
	defer network.Close()
	set, err := schema.Parse(name, text, kinds.All(network, thisBuild().Version))
	var problems schema.Problems
	switch {
	case errors.As(err, &problems):
		return nil, cannot(fmt.Errorf("a probe of these URLs would be wrong: %s", problems[0].Text), "")
	case err != nil:
		return nil, cannot(err, "")
	}
	closeAll(set.Probes)
	for _, w := range set.Warnings {
		if w.Rule == schema.RuleSecret {
			return nil, cannot(errors.New("a URL holds a credential, which would stand in the file"),
				"leave it out, and put ${file:PATH} in its place in the file that is written, which takes what the file holds as it is")
		}
	}
	return set.Warnings, nil
}
