package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/exporter-toolkit/web"
	"gopkg.in/yaml.v3"
)

// check says what is wrong with the flags and with the file that they name.
func (f webFlags) check() error {
	if slices.Contains(f.Listen, "") {
		return cannot(errors.New("--web.listen-address is empty"), "write it as HOST:PORT or :PORT")
	}
	if err := f.checkPaths(); err != nil {
		return err
	}
	return f.checkFile()
}

// checkPaths says what is wrong with the flags that say below which path all is served.
func (f webFlags) checkPaths() error {
	flag, path := "--web.route-prefix", f.RoutePrefix
	if f.ExternalURL != "" {
		u, err := url.Parse(f.ExternalURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			// It is not quoted: nobody knows where in such a text a password stands.
			return cannot(errors.New("--web.external-url is no URL with http or https and a host"),
				"write it whole, as in https://monitoring.example.com/sonde/")
		}
		if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
			return cannot(errors.New("--web.external-url has a user, a query or a fragment, want scheme, host and path alone"), "")
		}
		if path == "" {
			flag, path = "the path of --web.external-url", u.Path
		}
	}
	if !isPrefix(path) {
		return cannot(fmt.Errorf("%s is %q, want a plain path, such as /sonde or /team/sonde", flag, path),
			"letters, digits, -, _, ~ and . can stand between its slashes")
	}
	return nil
}

// isPrefix is true of paths that browsers and proxies leave as they are. The slashes at the ends are
// nobody's concern.
func isPrefix(path string) bool {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return true
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." || !prefixPart.MatchString(part) {
			return false
		}
	}
	return true
}

var prefixPart = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// checkFile says what is wrong with the file of TLS and basic auth, and with those that it names.
func (f webFlags) checkFile() error {
	err := f.checkKinds()
	if err == nil {
		if err = web.Validate(f.ConfigFile); err == nil {
			return nil
		}
		if plain := f.unhashed(); plain != nil {
			return plain
		}
	}
	hint := "its keys are those of https://prometheus.io/docs/prometheus/latest/configuration/https/"
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errNoFile) {
		hint = "name files that are there and may be read; those that the file names start at its folder"
	}
	return cannot(fmt.Errorf("--web.config.file %s: %w", f.ConfigFile, err), hint)
}

// errNoFile is what a pipe, a device or a folder is, where a file is wanted: reading one may never end.
var errNoFile = errors.New("is no regular file")

// checkKinds sees to it that nothing is read that is there and no regular file: exporter-toolkit reads
// its file, and those that it names, to their end, and again for each connection.
func (f webFlags) checkKinds() error {
	if f.ConfigFile == "" {
		return nil
	}
	if err := regular(f.ConfigFile); err != nil {
		return err
	}
	named := f.tls()
	for _, key := range pathKeys {
		name, _ := named[key].(string)
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(f.ConfigFile), name)
		}
		if err := regular(name); err != nil {
			return err
		}
	}
	return nil
}

// regular is nil of a regular file, and of what is not there: whoever opens that has more to say.
func regular(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s %w", name, errNoFile)
	}
	return nil
}

// unhashed says whose password stands in the file otherwise than as bcrypt's hash, which exporter-toolkit
// leaves out; nil where nobody's does. The password is not quoted. The file is a regular one.
func (f webFlags) unhashed() error {
	text, err := os.ReadFile(f.ConfigFile)
	if err != nil {
		return nil // said already
	}
	var config struct {
		Users yaml.Node `yaml:"basic_auth_users"`
	}
	if yaml.Unmarshal(text, &config) != nil || config.Users.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(config.Users.Content); i += 2 {
		name, hash := config.Users.Content[i], config.Users.Content[i+1]
		if !bcryptHash.MatchString(hash.Value) {
			return cannot(fmt.Errorf("--web.config.file %s:%d:%d: basic_auth_users has for %q what is no hash of bcrypt", f.ConfigFile, hash.Line, hash.Column, name.Value),
				"htpasswd -nB NAME asks for a password and prints the line NAME:HASH; write it as NAME: HASH")
		}
	}
	return nil
}

var bcryptHash = regexp.MustCompile(`^\$2[abxy]?\$[0-3][0-9]\$[./A-Za-z0-9]{53}$`)
