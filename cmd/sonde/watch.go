package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher tells when the content of files has changed, however it came about: written in place, renamed
// over, or a symlink above them swapped, as Kubernetes does. It watches folders only, for a watched
// file is lost when an editor renames another over it, and looks by itself at times, for some file
// systems tell nothing. What counts is the content, so an event that changes none is quiet.
type watcher struct {
	// paths are files and folders of files.
	paths []string
	// changed is told of each change, once it has settled; the watcher waits until it returns. It says
	// whether it could make nothing of the change for want of descriptors, and is to be told again.
	changed func() (again bool)
	log     *slog.Logger
	// settle is how long must be quiet before the content is looked at, at most patience after the
	// first event; poll is how often it is looked at without an event.
	settle, patience, poll time.Duration

	seen    string          // the digest of the content that is known
	folders map[string]bool // that are watched
}

func newWatcher(paths []string, changed func() (again bool), l *slog.Logger) *watcher {
	w := &watcher{
		paths: paths, changed: changed, log: l, folders: map[string]bool{},
		settle: 300 * time.Millisecond, patience: 2 * time.Second, poll: 30 * time.Second,
	}
	// Taken before the first load, so that what changes during it is noticed.
	w.seen, _ = w.digest()
	return w
}

// run watches until ctx ends. Where the system gives no events, it polls.
func (w *watcher) run(ctx context.Context) {
	w.warnOfMounts()
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.log.Warn("the system tells of no changes to files, so they are looked at from time to time",
			"every", w.poll, "error", err)
		notify = &fsnotify.Watcher{} // nil channels: no events
	} else {
		defer notify.Close()
		w.look(notify) // at what has changed since newWatcher and told nobody
	}
	w.loop(ctx, notify)
}

func (w *watcher) loop(ctx context.Context, notify *fsnotify.Watcher) {
	poll := time.NewTicker(w.poll)
	defer poll.Stop()
	var settled <-chan time.Time
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-notify.Events:
			if e.Op == fsnotify.Chmod {
				continue
			}
			if settled == nil {
				first = time.Now()
			}
			settled = time.After(min(w.settle, time.Until(first.Add(w.patience))))
			continue
		case err := <-notify.Errors:
			w.log.Debug("watching files", "error", err)
		case <-poll.C:
		case <-settled:
		}
		settled = nil
		if !w.look(notify) {
			settled = time.After(w.patience)
		}
	}
}

// look tells of a change, if there is one. It is false when it must be done again: then this process had
// no descriptor left, and what cannot be read for that has not changed.
func (w *watcher) look(notify *fsnotify.Watcher) bool {
	if notify.Events != nil {
		w.follow(notify)
	}
	now, err := w.digest()
	if err != nil {
		w.log.Debug("looking at the files", "error", err)
		return false
	}
	if now == w.seen {
		return true
	}
	if w.changed() {
		return false
	}
	w.seen = now
	return true
}

// outOfDescriptors is true of what goes wrong because this process, or the system, has too many files and
// connections open.
func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// follow watches the folders that can matter now: those of the paths, and where symlinks lead. A folder
// that is gone is forgotten and found again when it is back.
func (w *watcher) follow(notify *fsnotify.Watcher) {
	wanted := map[string]bool{}
	for _, p := range w.paths {
		names, _ := contentOf(p)
		for _, name := range append(names, p) {
			wanted[folderOf(name)] = true
			if real, err := filepath.EvalSymlinks(name); err == nil {
				wanted[folderOf(real)] = true
			}
		}
	}
	for folder := range w.folders {
		if !wanted[folder] {
			notify.Remove(folder) // an error says that it is gone already
			delete(w.folders, folder)
		}
	}
	for folder := range wanted {
		// Adding one again is harmless, and needed after it was removed and made anew.
		if err := notify.Add(folder); err != nil {
			w.log.Debug("watching a folder", "folder", folder, "error", err)
			continue
		}
		w.folders[folder] = true
	}
}

// folderOf is the path itself when it is a folder, else the folder that it is in.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Clean(path)
	}
	return filepath.Dir(path)
}

// contentOf is the files that a path stands for, as schema reads them. The error is a want of descriptors.
func contentOf(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if outOfDescriptors(err) {
		return nil, err
	}
	if err != nil {
		return []string{path}, nil
	}
	var files []string
	for _, e := range entries {
		if isYAML(e.Name()) && e.Name()[0] != '.' {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

// digest tells apart contents: what files there are, and what is in them. The error is a want of
// descriptors.
func (w *watcher) digest() (string, error) {
	h := sha256.New()
	for _, p := range w.paths {
		names, err := contentOf(p)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			n, err := copyFile(h, name)
			if outOfDescriptors(err) {
				return "", err
			}
			fmt.Fprintf(h, "\x00%s\x00%d\x00%t\x00", name, n, err == nil)
		}
	}
	return string(h.Sum(nil)), nil
}

// mostRead bounds what is read of a file: what is longer does not load.
const mostRead = 64 << 20

// copyFile copies a regular file; of what is none the error says so, for reading it might never end.
func copyFile(to io.Writer, name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errNoFile
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(to, io.LimitReader(f, mostRead))
}
