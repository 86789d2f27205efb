package kinds

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"sonde/probe"
	"sonde/probe/conn"
)

// TLS says how TLS is done. Relative paths start at the folder of the file that declares the probe.
type TLS struct {
	// A file of PEM certificates: the authorities that are trusted, in place of the system's.
	CAFile string `yaml:"ca_file"`
	// A file with the PEM certificate, and its chain, that the probe shows when it is asked for one.
	// With key_file only.
	CertFile string `yaml:"cert_file"`
	// A file with the PEM private key of cert_file.
	KeyFile string `yaml:"key_file"`
	// The name that is asked for and that the certificate must be good for; the host unless given.
	ServerName string `yaml:"server_name" validate:"omitempty,hostname_rfc1123|ip"`
	// Take any certificate. What is probed may then be anybody.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
	// The oldest version that is spoken: TLS10, TLS11, TLS12 or TLS13; TLS12 unless given.
	MinVersion string `yaml:"min_version" validate:"omitempty,oneof=TLS10 TLS11 TLS12 TLS13"`
}

var tlsVersions = map[string]uint16{
	"": tls.VersionTLS12, "TLS10": tls.VersionTLS10, "TLS11": tls.VersionTLS11, "TLS12": tls.VersionTLS12, "TLS13": tls.VersionTLS13,
}

// check reports, relative to the kind's block, what the fields owe each other.
func (t *TLS) check() []probe.Fault {
	switch {
	case t == nil:
	case t.CertFile != "" && t.KeyFile == "":
		return []probe.Fault{{Place: "tls.cert_file", Text: "stands without key_file, want both"}}
	case t.CertFile == "" && t.KeyFile != "":
		return []probe.Fault{{Place: "tls.key_file", Text: "stands without cert_file, want both"}}
	}
	return nil
}

// plainTLS is what every probe without a tls block shares.
var plainTLS = &conn.TLS{Config: &tls.Config{MinVersion: tls.VersionTLS12}}

// files are the files that the block names.
func (t *TLS) files() []string {
	if t == nil {
		return nil
	}
	return slices.DeleteFunc([]string{t.CAFile, t.CertFile, t.KeyFile}, func(name string) bool { return name == "" })
}

// Files are those of the tls block.
func (s *HTTP) Files() []string { return s.TLS.files() }

// Files are those of the tls block.
func (s *TCP) Files() []string { return s.TLS.files() }

// tlsFiles is what the files of a block hold.
type tlsFiles struct{ ca, cert, key []byte }

// read reads the files. What cannot be read is a *probe.Fault.
func (t *TLS) read(dir string) (f tlsFiles, err error) {
	for _, file := range []struct {
		data               *[]byte
		place, name, holds string
	}{
		{&f.ca, "tls.ca_file", t.CAFile, "certificates"},
		{&f.cert, "tls.cert_file", t.CertFile, "a certificate"},
		{&f.key, "tls.key_file", t.KeyFile, "a private key"},
	} {
		if file.name == "" {
			continue
		}
		if *file.data, err = readFile(dir, file.place, file.name, file.holds); err != nil {
			return f, err
		}
	}
	return f, nil
}

// sum tells apart blocks and files that do not come to the same.
func (t *TLS) sum(f tlsFiles) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %v %q\n", t.ServerName, t.InsecureSkipVerify, t.MinVersion)
	for _, data := range [][]byte{f.ca, f.cert, f.key} {
		fmt.Fprintf(sum, "%t %x\n", data != nil, sha256.Sum256(data))
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// config is what connections need. What cannot be used is a *probe.Fault.
func (t *TLS) config(f tlsFiles) (*tls.Config, error) {
	config := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify, MinVersion: tlsVersions[t.MinVersion]}
	if t.CAFile != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(f.ca) {
			return nil, &probe.Fault{Place: "tls.ca_file", Text: fmt.Sprintf("is %q, which holds no certificate, want PEM certificates", t.CAFile)}
		}
	}
	if t.CertFile != "" {
		cert, err := tls.X509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, &probe.Fault{Place: "tls.cert_file", Text: fmt.Sprintf("is %q, want the certificate of key_file %q: %s", t.CertFile, t.KeyFile, err)}
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}

// readFile reads a file that the block names at a place.
func readFile(dir, place, name, holds string) ([]byte, error) {
	data, err := readBounded(inDir(dir, name))
	if err == nil {
		return data, nil
	}
	var leaf *fs.PathError
	if errors.As(err, &leaf) {
		err = leaf.Err // the file is named already
	}
	return nil, &probe.Fault{Place: place, Text: fmt.Sprintf("is %q, want a readable file with %s in PEM: %s", name, holds, err)}
}

// inDir is the path of a file that a block names; relative ones start at dir.
func inDir(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// maxPEM bounds a file of certificates or a key, in bytes: a system's own authorities are a tenth of it.
const maxPEM = 4 << 20

// readBounded reads a regular file. What is none, such as a pipe or a device, might never end, and
// opening it might not either.
func readBounded(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, syscall.EISDIR
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if len(data) > maxPEM {
		return nil, fmt.Errorf("it is longer than %d MiB", maxPEM>>20)
	}
	return data, err
}
