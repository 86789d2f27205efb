package kinds

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"sonde/probe"
)

// unproxied is one rule of no_proxy: hosts that are asked without the proxy.
type unproxied struct {
	all   bool
	name  string // in small letters, without a dot before it
	below bool   // those below the name alone
	ips   netip.Prefix
	port  string // empty is any
}

// hosts are the rules of a no_proxy.
type hosts []unproxied

// have is true of a URL whose host one of the rules names.
func (h hosts) have(u *url.URL) bool {
	host, port, _ := net.SplitHostPort(address(u))
	host = strings.TrimSuffix(host, ".")
	ip, _ := netip.ParseAddr(host)
	for _, r := range h {
		if r.port != "" && r.port != port {
			continue
		}
		switch {
		case r.all, ip.IsValid() && r.ips.IsValid() && r.ips.Contains(ip.Unmap().WithZone("")):
			return true
		case ip.IsValid() || r.name == "":
		case !r.below && host == r.name, strings.HasSuffix(host, "."+r.name):
			return true
		}
	}
	return false
}

// unproxiedHosts reads the rules of a no_proxy.
func unproxiedHosts(texts []string) (hosts, *probe.Fault) {
	var list hosts
	for i, text := range texts {
		r, ok := unproxiedHost(text)
		if !ok {
			return nil, &probe.Fault{Place: fmt.Sprintf("proxy.no_proxy[%d]", i),
				Text: fmt.Sprintf("is %q, want a host, one after a dot, an IP address, a network such as 10.0.0.0/8, or *", text)}
		}
		list = append(list, r)
	}
	return list, nil
}

func unproxiedHost(text string) (r unproxied, ok bool) {
	if text == "*" {
		return unproxied{all: true}, true
	}
	if ips, err := netip.ParsePrefix(text); err == nil {
		return unproxied{ips: ips.Masked()}, true
	}
	if host, port, err := net.SplitHostPort(text); err == nil {
		if !isPort(port) {
			return r, false
		}
		text, r.port = host, port
	}
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		ip = ip.Unmap().WithZone("")
		r.ips = netip.PrefixFrom(ip, ip.BitLen())
		return r, true
	}
	if below, ok := strings.CutPrefix(text, "*."); ok {
		text = "." + below
	}
	text, r.below = strings.CutPrefix(text, ".")
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(text, "."))
	r.name = strings.ToLower(name)
	return r, err == nil && name != "" && !strings.ContainsAny(name, "/*:,@ \t")
}
