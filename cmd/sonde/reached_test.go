package main

import (
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// TestWatchNoticesWhatTheFilesLeadTo: an included file, a file of targets, a secret, and a new file that
// matches a pattern. Nothing is told of what was loaded just now.
func TestWatchNoticesWhatTheFilesLeadTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	put(t, in("etc/probes.yaml"), `
include: [../more/*/*.yaml, ../base.yaml]
probes:
  - name: a
    targets_from: {file: ../sd/*.json}
    http: {url: "http://127.0.0.1:1/{{target}}", headers: {X: "${file:../secret}"}}
`)
	put(t, in("base.yaml"), "profiles: {}\n")
	put(t, in("sd/a.json"), `[{"targets": ["x"]}]`)
	put(t, in("secret"), "hunter2")
	src := sourceOf(fileFlags{ConfigFile: []string{in("etc/probes.yaml")}}, nil, nil)
	calls := 0
	w := newWatcher(src.paths, func() bool { calls++; src.load(t.Context()); return false }, slog.New(slog.DiscardHandler))
	w.reached = src.reached
	look := func(what string, want int) {
		t.Helper()
		if w.look(&fsnotify.Watcher{}); calls != want {
			t.Errorf("%s: %d changes told, want %d", what, calls, want)
		}
	}
	if _, err := src.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	look("just loaded", 0)
	put(t, in("secret"), "hunter3")
	look("a secret", 1)
	put(t, in("base.yaml"), "x-a: b\nprofiles: {}\n")
	look("an included file", 2)
	put(t, in("sd/b.json"), "[]")
	look("a file of targets that is new", 3)
	os.Remove(in("sd/b.json"))
	look("a file of targets that is gone", 4)
	put(t, in("more/team/c.yaml"), "probes: []\n")
	look("a folder and file that match now", 5)
	os.Remove(in("base.yaml"))
	look("an included file that is gone", 6)
	put(t, in("base.yaml"), "profiles: {}\n")
	look("and is back", 7)
	put(t, in("other"), "x")
	look("a file that nothing leads to", 7)
}

func TestWatchFollowsTheFoldersOfPatterns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "more", "team", "a.yaml"), "")
	got := foldersOf(filepath.Join(dir, "more", "*", "*.yaml"))
	want := []string{filepath.Join(dir, "more", "team"), filepath.Join(dir, "more")}
	if !slices.Equal(got, want) {
		t.Errorf("folders are %q, want %q", got, want)
	}
}

// TestRunReloadsWhenASecretChanges: the probe that holds it is changed, and no other.
func TestRunReloadsWhenASecretChanges(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "probes.yaml"), filepath.Join(dir, "secret")
	put(t, secret, "hunter2-hunter2\n")
	put(t, file, probesText("home="+web.URL+"/ok")+`
  - name: keyed
    http: {url: "`+web.URL+`/ok", headers: {Authorization: "Bearer ${file:secret}"}}
`)
	s, _ := startRun(t, file)
	put(t, secret, "hunter3-hunter3\n")
	s.err.await(t, `msg="configuration loaded" cause="file change" .*change="0 added, 1 changed, 0 removed, 1 unchanged"`)
}

// TestRunReloadsWhenACertificateChanges: authorities that are replaced under their old name make a new
// prober of the probe that trusts them, and of no other. While they are broken the old ones go on.
func TestRunReloadsWhenACertificateChanges(t *testing.T) {
	t.Parallel()
	plain, secure := newWeb(), httptest.NewTLSServer(http.NotFoundHandler())
	defer plain.Close()
	defer secure.Close()
	dir := t.TempDir()
	file, ca := filepath.Join(dir, "probes.yaml"), filepath.Join(dir, "ca.pem")
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	put(t, ca, authority)
	put(t, file, probesText("home="+plain.URL+"/ok")+`
  - name: trusting
    http: {url: "`+secure.URL+`/", tls: {ca_file: ca.pem}}
`)
	s, _ := startRun(t, file)
	put(t, ca, "none yet")
	s.err.await(t, `tls.ca_file is .*which holds no certificate`)
	put(t, ca, authority+authority)
	s.err.await(t, `msg="configuration loaded" cause="file change" .*change="0 added, 1 changed, 0 removed, 1 unchanged"`)
}
