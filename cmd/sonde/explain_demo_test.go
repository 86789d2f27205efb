package main

import (
	"testing"
	"fmt"
	"os"
)

func TestExplainDemo(t *testing.T) {
	d, _ := startedDemo(t)
	name := t.TempDir() + "/demo.yaml"
	os.WriteFile(name, d.file(), 0o600)
	for _, p := range loadText(t, string(d.file())).Probes {
		s := startCommand(t, "explain", name, p.Name)
		s.wait()
		fmt.Println(s.out.String(), s.err.String())
	}
}
