package main

import (
	"context"
	_ "embed" // for the scripts
)

//go:embed completion.bash
var completionBash string

//go:embed completion.zsh
var completionZsh string

//go:embed completion.fish
var completionFish string

// shells are those that have a script.
var shells = []string{"bash", "zsh", "fish"}

type completionCommand struct {
	Shell string `arg:"" name:"SHELL" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown by sonde completion --help.
func (*completionCommand) Help() string {
	return `Prints a script with which the shell completes commands, flags, their values, files, and the names of probes in them. It asks sonde itself, so that it fits whichever version is installed.

bash: add to ~/.bashrc the line
    source <(sonde completion bash)
zsh: put the script into a folder of $fpath, as in
    sonde completion zsh > ~/.zsh/completions/_sonde
fish:
    sonde completion fish > ~/.config/fish/completions/sonde.fish

Example: sonde completion bash`
}

func (c *completionCommand) run(_ context.Context, t *terminal) error {
	script := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}[c.Shell]
	_, err := t.out.Write([]byte(script))
	return err
}
