package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/probe/shard"
	"sonde/schema"
	"sonde/schema/report"
)

// defaultFile is what is read when no file is named.
const defaultFile = "probes.yaml"

// fileFlags say which files are read.
type fileFlags struct {
	ConfigFile []string `name:"config.file" sep:"none" placeholder:"PATH" help:"A file, or a folder of .yaml and .yml files; may be repeated (default: probes.yaml)."`
}

// secretFlags are for machines that do not have the secrets of the files, as where a change is reviewed.
type secretFlags struct {
	NoSecrets bool `name:"no-secrets" help:"Take a placeholder for each secret, variable and key file that is not here, as in CI. What is here is used."`
}

// world is the machine on which files are read.
func (f secretFlags) world() schema.World {
	w := schema.System()
	w.Absent = f.NoSecrets
	return w
}

// source is where a command's probes come from.
type source struct {
	// name is what it is called where it is spoken of.
	name string
	// paths are what is watched: files, and folders of them.
	paths []string
	// read reads it anew.
	read func() (*schema.Set, error)
	// reached is what the paths led to when they were read last; nil when there is nothing to watch.
	reached *reached
	// check reads it anew, too, and keeps all that is to be said of it.
	check func() (*schema.Checked, error)
	// memory is what of it was read before; nil where nothing is remembered.
	memory *schema.Memory
	// shard is the part of the probes that is run.
	shard shard.Shard
	// without says what does without the secrets that are not here.
	without string
}

// sourceOf is what the flag and the FILE arguments name, or the default file.
func sourceOf(f fileFlags, files []string, net *conn.Network) source {
	s := sourceIn(schema.System(), f, files, net)
	s.without = "sonde check --no-secrets"
	return s
}

// sourceIn is sourceOf on another machine, for a command that has --no-secrets.
func sourceIn(w schema.World, f fileFlags, files []string, net *conn.Network) source {
	paths := append(append([]string(nil), f.ConfigFile...), files...)
	if len(paths) == 0 {
		paths = []string{defaultFile}
	}
	all := kinds.All(net, thisBuild().Version)
	reached, memory := &reached{}, &schema.Memory{}
	return source{
		name: strings.Join(paths, ", "), paths: paths, reached: reached, memory: memory, without: "--no-secrets",
		read: func() (*schema.Set, error) {
			c, err := memory.Check(w, paths, all)
			if err != nil {
				return nil, err
			}
			reached.note(c.Reach)
			if c.Set == nil {
				return nil, c.Problems
			}
			return c.Set, nil
		},
		check: func() (*schema.Checked, error) { return w.Check(paths, all) },
	}
}

// load reads the files; it gives up when ctx ends.
func (s source) load(ctx context.Context) (*schema.Set, error) {
	return guarded(ctx, s, s.read, func(set *schema.Set) { closeAll(set.Probes) })
}

// guarded reads a source. Of a bug in reading it makes an error, so that no file can end a process that
// runs on a good one. A file system that does not answer, or a pipe that nobody writes to, must not keep
// the program from its end: when ctx ends the reading is left behind, and drop gets what comes of it.
func guarded[T any](ctx context.Context, s source, read func() (*T, error), drop func(*T)) (*T, error) {
	type reading struct {
		found *T
		err   error
	}
	done := make(chan reading)
	go func() {
		found, err := caught(s, read)
		select {
		case done <- reading{found, err}:
		case <-ctx.Done():
			if err == nil {
				drop(found)
			}
		}
	}()
	select {
	case r := <-done:
		return r.found, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("reading %s: %w", s.name, context.Cause(ctx))
	}
}

func caught[T any](s source, read func() (*T, error)) (found *T, err error) {
	defer func() {
		if v := recover(); v != nil {
			found, err = nil, &bug{source: s.name, value: v, stack: debug.Stack()}
		}
	}()
	return read()
}

// loadOrSay loads and says what is wrong, if anything is; then the error ends the command with status.
// Warnings are the caller's to show.
func (s source) loadOrSay(ctx context.Context, t *terminal, status int) (*schema.Set, error) {
	set, err := s.load(ctx)
	if err != nil {
		return nil, s.say(t, err, status)
	}
	return set, nil
}

// say says what is wrong with files that could not be loaded. The error ends the command with status.
func (s source) say(t *terminal, err error, status int) error {
	var problems schema.Problems
	if errors.As(err, &problems) {
		report.Write(t.err, report.Text, report.Report{Problems: problems})
		err = fmt.Errorf("%s: %s", s.name, count(len(problems), "problem"))
		return &failure{status: status, err: err, hint: fmt.Sprintf(
			"each stands above as file:line:column and ends with its rule; sonde check %s shows warnings, too, and sonde check --explain RULE says more of one%s", s.arguments(), s.unfilled(problems))}
	}
	return s.unread(t, err, status)
}

// unfilled goes on with a hint, where something could not be filled in.
func (s source) unfilled(problems []schema.Problem) string {
	if !slices.ContainsFunc(problems, func(p schema.Problem) bool { return p.Rule == schema.RuleFill }) {
		return ""
	}
	return ", and " + s.without + " does without what ${…} cannot fill in here"
}

// unread is the failure of a source that could not be read.
func (s source) unread(t *terminal, err error, status int) error {
	hint := s.hint(t, err)
	var signal interrupted
	if errors.As(err, &signal) {
		status = signal.status()
	}
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == "" {
		return &failure{status: status, err: errors.New("--config.file, or a FILE, is empty"), hint: hint}
	}
	if path != nil {
		err = fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return &failure{status: status, err: err, hint: hint}
}

// arguments are the paths as they are typed after a command.
func (s source) arguments() string { return strings.Join(s.paths, " ") }

// hint says how to mend what is most often wrong with the whole of a source.
func (s source) hint(t *terminal, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist) && slices.Equal(s.paths, []string{defaultFile}):
		return "sonde init writes a first one; or name yours, as in: sonde " + t.example() + "; or see sonde work without one: sonde demo"
	case errors.Is(err, fs.ErrNotExist):
		return "name a file that is there, or a folder with files named *.yaml or *.yml"
	case errors.Is(err, schema.ErrNoFile):
		return "put the probes into a file so named; hidden files and subfolders are not read: name those themselves"
	case errors.Is(err, fs.ErrPermission):
		return "make it readable for the user that sonde runs as"
	}
	return ""
}

// isYAML is true of the names that stand for a file of probes.
func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// place is where a problem stands: file:line:column.
func place(p schema.Problem) string {
	return clean(fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column))
}
