//go:build unix

package kinds

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A certificate that is a pipe or a device must not hold up the reading of the file for ever.
func TestCertificatesAreRegularFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.pem", "/dev/zero"} {
		if _, _, err := new(house).tls(&TLS{CAFile: name}, dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
