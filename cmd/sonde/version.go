package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"sonde/probe/metrics"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = ""

// build is what this program was built from.
type build metrics.Build

// thisBuild is what the linker and the toolchain have noted. A program built without either is "dev" of
// an unknown revision.
func thisBuild() build {
	b := build{Version: version, Revision: "unknown", GoVersion: runtime.Version()}
	modified := false
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; b.Version == "" && v != "(devel)" {
			b.Version = v
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	if modified {
		b.Revision += "-modified"
	}
	if b.Version == "" {
		b.Version = "dev"
	}
	return b
}

// String is the version as the command prints it.
func (b build) String() string {
	return fmt.Sprintf("sonde, version %s (revision: %s)\n  go version: %s\n  platform:   %s/%s\n",
		b.Version, b.Revision, b.GoVersion, runtime.GOOS, runtime.GOARCH)
}

type versionCommand struct{}

// Help is shown by sonde version --help.
func (*versionCommand) Help() string { return "Example: sonde version" }

func (*versionCommand) run(_ context.Context, t *terminal) error {
	_, err := io.WriteString(t.out, thisBuild().String())
	return err
}

// versionFlag is --version, which stands for the command wherever it is given.
type versionFlag bool

// BeforeReset is called by kong when the flag was given, before it asks for a command.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	if _, err := io.WriteString(k.Stdout, thisBuild().String()); err != nil {
		return err
	}
	k.Exit(statusOK)
	return nil
}
