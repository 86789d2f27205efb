package schema

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// sentinel is what ${SECRET} and the secret files hold: it must not be shown anywhere.
const sentinel = `hunter2&"x y`

// worldOf is a world with some variables, some secret files, and these files.
func worldOf(files map[string]string) World {
	env := map[string]string{
		"REGION": "eu-west", "SECRET": sentinel, "EMPTY": "", "NUMBER": "3", "SHORT": "ab", "BAD_RE": "hunter2(", "CREDENTIALS_DIRECTORY": "/creds",
		"SLASHED": "hunter2/x", "URL": "https://hunter2.example/a", "PATH_ONLY": "/hunter2",
	}
	all := map[string]string{
		"/run/secrets/token": sentinel + "\n", "/creds/token": sentinel + "\r\n", "/run/secrets/two-lines": "hunter2\n\n",
		"/run/secrets/empty": "", "/run/secrets/huge": strings.Repeat("x", maxFilled+1),
	}
	for name, text := range files {
		all[name] = text
	}
	return World{
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		ReadFile: func(name string, limit int64) ([]byte, error) {
			text, ok := all[name]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return []byte(text)[:min(int64(len(text)), limit)], nil
		},
		Glob: func(pattern string) (found []string, err error) {
			for name := range all {
				ok, wrong := filepath.Match(pattern, name)
				if wrong != nil {
					return nil, wrong
				}
				if ok {
					found = append(found, name)
				}
			}
			slices.Sort(found)
			return found, nil
		},
	}
}

// filesOf are the files beside a case of an archive: NAME/x.yaml is x.yaml beside NAME.yaml.
func filesOf(a *txtar.Archive, name string) map[string]string {
	files := map[string]string{}
	for _, f := range a.Files {
		if beside, ok := strings.CutPrefix(f.Name, name+"/"); ok {
			files[beside] = string(f.Data)
		}
	}
	return files
}

// parseIn is Parse in a world with these files.
func parseIn(name string, data []byte, files map[string]string) (*Set, error) {
	return worldOf(files).Parse(name, data, fakeKinds())
}
