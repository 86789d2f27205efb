package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher tells when the content of files has changed, however it came about: written in place, renamed
// over, or a symlink above them swapped, as Kubernetes does. It watches folders only, for a watched
// file is lost when an editor renames another over it, and looks by itself at times, for some file
// systems tell nothing. What counts is the content, so an event that changes none is quiet.
type watcher struct {
	// paths are files and folders of files, and reached is what they led to; it may be nil.
	paths   []string
	reached *reached
	// changed is told of each change, once it has settled; the watcher waits until it returns. It says
	// whether it could make nothing of the change for want of descriptors, and is to be told again.
	changed func() (again bool)
	log     *slog.Logger
	// settle is how long must be quiet before the content is looked at, at most patience after the
	// first event; poll is how often it is looked at without an event.
	settle, patience, poll time.Duration

	seen    map[string]sum  // the content that is known, by the file's name
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
	before, changed := w.seen, w.differs(now)
	w.seen = now
	if changed && w.changed() {
		w.seen = before
		return false
	}
	return true
}

// outOfDescriptors is true of what goes wrong because this process, or the system, has too many files and
// connections open.
func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// differs is true when a file is not what it was: when it was looked at last, or, of one that has been
// watched only since, when it was loaded.
func (w *watcher) differs(now map[string]sum) bool {
	loaded := w.reached.get()
	for name, is := range now {
		was, known := w.seen[name]
		if !known {
			was = loaded.Sums[name]
		}
		if is != was || !known && !slices.Contains(loaded.Files, name) {
			return true
		}
	}
	for name := range w.seen {
		if _, there := now[name]; !there && isBelow(w.paths, name) {
			return true // it has gone from a folder
		}
	}
	return false
}

// isBelow is true of a file in one of the folders.
func isBelow(folders []string, name string) bool {
	return slices.Contains(folders, filepath.Dir(name))
}

// follow watches the folders that can matter now: those of the paths, and where symlinks lead. A folder
// that is gone is forgotten and found again when it is back.
func (w *watcher) follow(notify *fsnotify.Watcher) {
	wanted := map[string]bool{}
	names, _ := w.names()
	for _, name := range append(names, w.paths...) {
		wanted[folderOf(name)] = true
		if real, err := filepath.EvalSymlinks(name); err == nil {
			wanted[folderOf(real)] = true
		}
	}
	for _, p := range w.reached.get().Patterns {
		for _, folder := range foldersOf(p) {
			wanted[folder] = true
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

// names are the files to look at: those of the paths, what they led to, and what matches a pattern now.
// The error is a want of descriptors.
func (w *watcher) names() ([]string, error) {
	reach := w.reached.get()
	names := slices.Clone(reach.Files)
	for _, p := range w.paths {
		found, err := contentOf(p)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	for _, p := range reach.Patterns {
		found, _ := filepath.Glob(p) // a bad pattern does not load
		names = append(names, found...)
	}
	return names, nil
}

// sum is the SHA-256 of a file; zero when it cannot be read, or is no regular file: one cannot look at a
// pipe without taking what is in it.
type sum = [sha256.Size]byte

// digest is the sum of each file. The error is a want of descriptors: that is no change of a file's.
func (w *watcher) digest() (map[string]sum, error) {
	names, err := w.names()
	if err != nil {
		return nil, err
	}
	sums := map[string]sum{}
	for _, name := range names {
		if _, done := sums[name]; done {
			continue
		}
		if sums[name], err = sumOf(name); outOfDescriptors(err) {
			return nil, err
		}
	}
	return sums, nil
}

// mostRead bounds what is read of a file: what is longer does not load.
const mostRead = 64 << 20

func sumOf(name string) (s sum, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return s, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return s, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostRead)); err != nil {
		return s, err
	}
	return sum(h.Sum(nil)), nil
}
