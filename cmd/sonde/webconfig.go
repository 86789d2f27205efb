package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/exporter-toolkit/web"
	"gopkg.in/yaml.v3"
)

// webConfig is the last good file of TLS and passwords. exporter-toolkit reads its file anew for each request
// and each connection, also while somebody writes it: an empty one opens all routes, a bad one closes
// them. So it is given a copy that only this program can change, and a file that is not good, or that does not
// speak of what guards the routes now, changes nothing.
type webConfig struct {
	flags  webFlags // with the name of the file
	log    *slog.Logger
	record func(ok bool) // tells of each load
	copy   *snapshot
	// watcher tells when the file has changed.
	watcher *watcher

	mu     sync.Mutex
	closed bool
	text   []byte   // of the last good file
	guards []string // that it speaks of
}

// openWebConfig loads the file that the flags name, which has been checked; without one it is nil.
func openWebConfig(f webFlags, l *slog.Logger, record func(ok bool)) (*webConfig, error) {
	if f.ConfigFile == "" {
		return nil, nil
	}
	kept, err := newSnapshot()
	if err != nil {
		return nil, cannot(fmt.Errorf("keeping a copy of --web.config.file %s: %w", f.ConfigFile, err), "")
	}
	c := &webConfig{flags: f, log: l, record: record, copy: kept}
	c.watcher = newWatcher([]string{f.ConfigFile}, c.reload, l)
	if _, err := c.load(); err != nil {
		c.close()
		return nil, err
	}
	record(true)
	return c, nil
}

// path is what exporter-toolkit reads; "" of nil, which stands for no file.
func (c *webConfig) path() string {
	if c == nil {
		return ""
	}
	return c.copy.path()
}

// close takes the copy away. Nothing may be served any more.
func (c *webConfig) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.copy.close()
}

// reload reads the file anew and says what came of it in the log. It is true when it could not be read for
// want of descriptors. Of nil it does nothing.
func (c *webConfig) reload() (again bool) {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	changed, err := c.load()
	if outOfDescriptors(err) {
		return true
	}
	c.record(err == nil)
	switch {
	case err != nil:
		c.log.Error("the file of TLS and passwords is refused; the one before holds", "error", clean(err.Error()))
	case changed:
		c.log.Info("the file of TLS and passwords is loaded", "file", c.flags.ConfigFile)
	}
	return false
}

// load makes the file the one in use, if it is good and another. The caller holds mu, or is the only one.
func (c *webConfig) load() (changed bool, err error) {
	if err := c.flags.checkFile(); err != nil {
		return false, err
	}
	text, err := os.ReadFile(c.flags.ConfigFile)
	if err != nil || c.text != nil && bytes.Equal(text, c.text) {
		return false, err
	}
	guards := guardsIn(text)
	if err := c.keepsGuards(guards); err != nil {
		return false, fmt.Errorf("--web.config.file %s: %w", c.flags.ConfigFile, err)
	}
	if err := c.copy.replace(absolute(text, filepath.Dir(c.flags.ConfigFile)), web.Validate); err != nil {
		return false, fmt.Errorf("--web.config.file %s: %w", c.flags.ConfigFile, err)
	}
	c.text, c.guards = append([]byte{}, text...), guards
	return true, nil
}

const (
	usersKey = "basic_auth_users"
	tlsKey   = "tls_server_config"
)

// guardsIn are the keys of a file that say who may reach the routes, and how. One without a value says nothing: it
// is what stands in a file that is half written.
func guardsIn(text []byte) (keys []string) {
	var top map[string]any
	if yaml.Unmarshal(text, &top) != nil {
		return nil
	}
	for _, key := range []string{usersKey, tlsKey} {
		if holds(top[key]) {
			keys = append(keys, key)
		}
	}
	inside, _ := top[tlsKey].(map[string]any)
	for _, key := range []string{"client_auth_type", "client_allowed_sans", "client_ca_file", "client_ca"} {
		if holds(inside[key]) {
			keys = append(keys, tlsKey+"."+key)
		}
	}
	return keys
}

// holds is false of a value that is not there, or holds nothing; an empty mapping is said on purpose.
func holds(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

// keepsGuards says what a new file must not do: leave out what guards the routes, for so does one that is
// only half written, nor turn TLS on, for that exporter-toolkit does at its start only.
func (c *webConfig) keepsGuards(now []string) error {
	gone := slices.DeleteFunc(slices.Clone(c.guards), func(key string) bool { return slices.Contains(now, key) })
	switch {
	case len(gone) > 0:
		return fmt.Errorf("it does not say %s, as the file in use does; to take passwords away write %s: {}, and restart to turn TLS off", strings.Join(gone, ", "), usersKey)
	case c.text != nil && slices.Contains(now, tlsKey) && !slices.Contains(c.guards, tlsKey):
		return errors.New("it turns TLS on, which takes a restart")
	}
	return nil
}

// absolute is a file whose paths, which start at its folder, do so from any other.
func absolute(text []byte, folder string) []byte {
	folder, err := filepath.Abs(folder)
	var document yaml.Node
	if err != nil || yaml.Unmarshal(text, &document) != nil || !absoluteIn(&document, folder) {
		return text
	}
	changed, err := yaml.Marshal(&document)
	if err != nil {
		return text
	}
	return changed
}

// absoluteIn changes the paths below a node, and is true if there were any. A value that is used in several
// places by an alias is changed where it stands.
func absoluteIn(n *yaml.Node, folder string) (changed bool) {
	for i, child := range n.Content {
		key := ""
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key = n.Content[i-1].Value
		}
		if child.Kind == yaml.AliasNode {
			child = child.Alias
		}
		relative := child.Kind == yaml.ScalarNode && child.Value != "" && !filepath.IsAbs(child.Value)
		switch {
		case key == usersKey:
		case relative && slices.Contains(pathKeys, key):
			child.Value = filepath.Join(folder, child.Value)
			changed = true
		case n.Content[i].Kind != yaml.AliasNode:
			changed = absoluteIn(child, folder) || changed
		}
	}
	return changed
}

// pathKeys are those of exporter-toolkit that name a file.
var pathKeys = []string{"cert_file", "key_file", "client_ca_file"}
