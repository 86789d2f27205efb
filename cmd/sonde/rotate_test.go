package main

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/schema"
)

// TestARenewedCertificateIsAnotherProbe holds that a CA file which changes under its name makes the probe
// that names it another one, and no other, and that the file is watched.
func TestARenewedCertificateIsAnotherProbe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, ca := filepath.Join(dir, "probes.yaml"), filepath.Join(dir, "ca.pem")
	text := "probes:\n" +
		"  - {name: pinned, http: {url: \"https://localhost/\", tls: {ca_file: ca.pem}}}\n" +
		"  - {name: plain, http: {url: \"http://localhost/\"}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n := conn.New(conn.Options{})
	defer n.Close()
	load := func(until time.Time) *schema.Set {
		cert, err := demoCertificate("ca.demo", until)
		if err != nil {
			t.Fatal(err)
		}
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
		if err := os.WriteFile(ca, block, 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := schema.System().Load([]string{file}, kinds.All(n, "test"))
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	old, renewed := load(time.Now().Add(time.Hour)), load(time.Now().Add(48*time.Hour))
	if old.Probes[0].Digest == renewed.Probes[0].Digest {
		t.Error("the probe is the same after its CA file has changed, want another digest")
	}
	if old.Probes[1].Digest != renewed.Probes[1].Digest {
		t.Error("a probe that names no file has another digest, want the same")
	}
	if !slices.Contains(renewed.Files, ca) {
		t.Errorf("the files are %q, want %q among them", renewed.Files, ca)
	}
}
