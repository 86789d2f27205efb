package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"gopkg.in/yaml.v3"
)

// webFlags say where and how run serves; Prometheus' programs have the same.
type webFlags struct {
	Listen      []string `name:"web.listen-address" sep:"none" default:"${listen}" placeholder:"ADDRESS" help:"Where to serve; may be repeated (default: ${default})."`
	ConfigFile  string   `name:"web.config.file" placeholder:"FILE" help:"TLS and basic auth, in the form of Prometheus' exporter-toolkit."`
	ExternalURL string   `name:"web.external-url" placeholder:"URL" help:"Where others reach it, as behind a proxy."`
	RoutePrefix string   `name:"web.route-prefix" placeholder:"PATH" help:"What the paths of all routes begin with (default: the path of the external URL)."`
}

// prefix is what the paths of all routes begin with: "" or "/path". The flags have been checked.
func (f webFlags) prefix() string {
	path := f.RoutePrefix
	if path == "" && f.ExternalURL != "" {
		u, _ := url.Parse(f.ExternalURL) // checked before
		path = u.Path
	}
	if path = strings.Trim(path, "/"); path != "" {
		path = "/" + path
	}
	return path
}

// listen opens all listeners, or none.
func (f webFlags) listen() ([]net.Listener, error) {
	var listeners []net.Listener
	for _, address := range f.Listen {
		l, err := net.Listen("tcp", address)
		if err != nil {
			closeListeners(listeners)
			return nil, cannotListen(address, err)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

func closeListeners(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

func cannotListen(address string, err error) error {
	hint := listenHint(address, err)
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var sys syscall.Errno
	if errors.As(err, &sys) {
		err = sys
	}
	return cannot(fmt.Errorf("listening on %s: %w", address, err), hint)
}

// listenHint says how to mend what keeps an address from being served.
func listenHint(address string, err error) string {
	host, port, splitErr := net.SplitHostPort(address)
	_, portErr := net.LookupPort("tcp", port)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program serves there, perhaps another sonde; choose another with --web.listen-address=:PORT"
	case errors.Is(err, syscall.EACCES):
		return "ports below 1024 are for root; choose another with --web.listen-address=:PORT"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "no interface of this machine has that address; leave the host out to serve on all, as in :10115"
	case splitErr != nil:
		return "write it as HOST:PORT or :PORT"
	case portErr != nil:
		return fmt.Sprintf("the port is %q, want 1 to 65535, or 0 for one of the system's choice", port)
	}
	return fmt.Sprintf("is %s a name or an address of this machine? 127.0.0.1:%s serves this machine alone, :%s all interfaces", host, port, port)
}

// url is where a person finds what the listener serves.
func (f webFlags) url(l net.Listener) string {
	if f.ExternalURL != "" {
		return f.ExternalURL
	}
	scheme := "http"
	if f.secure() {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return fmt.Sprintf("%s://%s%s/", scheme, net.JoinHostPort(host, port), f.prefix())
}

// secure is whether the file that the flags name turns TLS on.
func (f webFlags) secure() bool { return len(f.tls()) > 0 }

// tls is what the file that the flags name says of TLS; what is wrong with it, exporter-toolkit says.
func (f webFlags) tls() map[string]any {
	var config struct {
		TLS map[string]any `yaml:"tls_server_config"`
	}
	if text, err := os.ReadFile(f.ConfigFile); err == nil {
		_ = yaml.Unmarshal(text, &config)
	}
	return config.TLS
}
