package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// put writes a file, and its folders.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// configMap lays a folder out as Kubernetes does, and swap replaces its content as Kubernetes does.
func configMap(t *testing.T, dir, text string) (file string, swap func(text string)) {
	put(t, filepath.Join(dir, "..first", "probes.yaml"), text)
	link(t, "..first", filepath.Join(dir, "..data"))
	file = filepath.Join(dir, "probes.yaml")
	link(t, "..data/probes.yaml", file)
	return file, func(text string) {
		put(t, filepath.Join(dir, "..second", "probes.yaml"), text)
		link(t, "..second", filepath.Join(dir, "..data_tmp"))
		rename(t, filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data"))
		os.RemoveAll(filepath.Join(dir, "..first"))
	}
}

// watching runs a watcher and returns what tells of each change. Its poll is too far away to help.
func watching(t *testing.T, path string) <-chan struct{} {
	t.Helper()
	changes := make(chan struct{}, 10)
	w := newWatcher([]string{path}, func() bool { changes <- struct{}{}; return false }, slog.New(slog.DiscardHandler))
	w.settle, w.patience, w.poll = 5*time.Millisecond, 50*time.Millisecond, time.Hour
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skipf("this system tells of no changes: %v", err)
	}
	w.follow(notify)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.loop(ctx, notify)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		notify.Close()
	})
	return changes
}

func TestWatchNoticesEveryWayToChangeAFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// lay lays a folder out and returns the watched path and what changes it.
		lay func(t *testing.T, dir string) (path string, change func())
	}{
		{"written in place", func(t *testing.T, dir string) (string, func()) {
			file := filepath.Join(dir, "probes.yaml")
			put(t, file, "one")
			return file, func() { put(t, file, "two") }
		}},
		{"renamed over, as editors do", func(t *testing.T, dir string) (string, func()) {
			file := filepath.Join(dir, "probes.yaml")
			put(t, file, "one")
			return file, func() {
				put(t, file+"~", "two")
				rename(t, file+"~", file)
			}
		}},
		{"..data swapped, the file watched", func(t *testing.T, dir string) (string, func()) {
			file, swap := configMap(t, dir, "one")
			return file, func() { swap("two") }
		}},
		{"..data swapped, the folder watched", func(t *testing.T, dir string) (string, func()) {
			_, swap := configMap(t, dir, "one")
			return dir, func() { swap("two") }
		}},
		{"a file that a symlink leads to", func(t *testing.T, dir string) (string, func()) {
			put(t, filepath.Join(dir, "real", "here.yaml"), "one")
			put(t, filepath.Join(dir, "etc", "other.yaml"), "one")
			link(t, "../real/here.yaml", filepath.Join(dir, "etc", "probes.yaml"))
			return filepath.Join(dir, "etc"), func() { put(t, filepath.Join(dir, "real", "here.yaml"), "two") }
		}},
		{"a file added to a folder", func(t *testing.T, dir string) (string, func()) {
			put(t, filepath.Join(dir, "a.yaml"), "one")
			return dir, func() { put(t, filepath.Join(dir, "b.yml"), "") }
		}},
		{"a file taken from a folder", func(t *testing.T, dir string) (string, func()) {
			put(t, filepath.Join(dir, "a.yaml"), "")
			put(t, filepath.Join(dir, "b.yaml"), "")
			return dir, func() { os.Remove(filepath.Join(dir, "b.yaml")) }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, change := tt.lay(t, t.TempDir())
			changes := watching(t, path)
			change()
			<-changes
		})
	}
}

func TestWatchPollsWhereTheSystemTellsNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, file, "one")
	changes := make(chan struct{}, 10)
	w := newWatcher([]string{file}, func() bool { changes <- struct{}{}; return false }, slog.New(slog.DiscardHandler))
	w.poll = time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go w.loop(ctx, &fsnotify.Watcher{})
	put(t, file, "two, and longer")
	<-changes
}

func TestWatchIsQuietWhenTheContentIsTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.yaml"), "one")
	calls := 0
	w := newWatcher([]string{dir}, func() bool { calls++; return false }, slog.New(slog.DiscardHandler))
	look := func(what string, want int) {
		t.Helper()
		if w.look(&fsnotify.Watcher{}); calls != want {
			t.Errorf("%s: %d changes told, want %d", what, calls, want)
		}
	}
	put(t, filepath.Join(dir, "a.yaml"), "one")
	look("the same text again", 0)
	put(t, filepath.Join(dir, ".hidden.yaml"), "one")
	put(t, filepath.Join(dir, "notes.txt"), "one")
	look("files that are not read", 0)
	rename(t, filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml"))
	look("another name", 1)
	os.Remove(filepath.Join(dir, "b.yaml"))
	look("no file any more", 2)
	look("still none", 2)
}

// A folder that was taken away and made anew is another to the system, but not to its user.
func TestWatchFollowsAFolderThatIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "conf")
	put(t, filepath.Join(dir, "a.yaml"), "one")
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skipf("this system tells of no changes: %v", err)
	}
	defer notify.Close()
	calls := 0
	w := newWatcher([]string{dir}, func() bool { calls++; return false }, slog.New(slog.DiscardHandler))
	w.follow(notify)
	os.RemoveAll(dir)
	w.look(notify)
	put(t, filepath.Join(dir, "a.yaml"), "two")
	w.look(notify)
	if calls != 2 || len(notify.WatchList()) != 1 {
		t.Errorf("%d changes told and %v watched, want 2 and the folder", calls, notify.WatchList())
	}
}

// A descriptor that is wanting is no change, and a change for which one was wanting is told again.
func TestWatchWithoutDescriptors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.yaml")
	put(t, file, "one")
	again, calls := true, 0
	w := newWatcher([]string{file}, func() bool { calls++; return again }, slog.New(slog.DiscardHandler))
	put(t, file, "two")
	if w.look(&fsnotify.Watcher{}) || calls != 1 {
		t.Errorf("a change that cannot be read: looked at well, or told %d times, want once", calls)
	}
	again = false
	if !w.look(&fsnotify.Watcher{}) || calls != 2 {
		t.Errorf("the next look: not well, or told %d times, want twice", calls)
	}
	if !w.look(&fsnotify.Watcher{}) || calls != 2 {
		t.Errorf("the look after it: not well, or told %d times, want twice", calls)
	}
	for err, want := range map[error]bool{
		nil: false, &os.PathError{Op: "open", Path: file, Err: syscall.EMFILE}: true,
		fmt.Errorf("reading: %w", syscall.ENFILE): true, syscall.ENOENT: false,
	} {
		if got := outOfDescriptors(err); got != want {
			t.Errorf("of %v it is %t, want %t", err, got, want)
		}
	}
}
