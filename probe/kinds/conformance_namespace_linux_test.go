package kinds_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sonde/probe"
)

// namespaceRows are what only a kernel can say, asked of one that has no way out of this machine: a network
// namespace that holds nothing but loopback, and routes that lead nowhere.
func namespaceRows() []row {
	return []row{
		{id: "ETIMEDOUT", play: fullBacklog, with: changes(attempts(1), connect(0), sockConnect(0)),
			tries: "connect_timeout@connect:N", end: "down connect_timeout attempts", counts: "a1 f1"},
		{id: "EACCES", play: to("192.0.2.1:80"), tries: "connect_denied@connect:N", end: "unknown connect_denied permanent", counts: "a1 u1"},
		{id: "EINVAL", play: to("198.51.100.1:80"), tries: "connect_denied@connect:N", end: "unknown connect_denied permanent", counts: "a1 u1"},
		{id: "EHOSTUNREACH", play: to("203.0.113.1:80"), with: changes(attempts(2)),
			tries: "2×connect_unreachable@connect:N", end: "down connect_unreachable attempts", waits: "1ms", counts: "a2 r1 f1"},
		{id: "ENETUNREACH", play: to("240.0.0.1:80"), with: changes(attempts(2)),
			tries: "2×connect_unreachable@connect:N", end: "down connect_unreachable attempts", waits: "1ms", counts: "a2 r1 f1"},
		{id: "ENETUNREACH, IPv6", play: to("[2001:db8::1]:80"), with: changes(attempts(1)),
			tries: "connect_unreachable@connect:N", end: "down connect_unreachable attempts", counts: "a1 f1"},
		// The last: it takes the ports of the whole namespace.
		{id: "EADDRNOTAVAIL", play: withoutPorts, server: []turn{ok}, with: changes(attempts(2)),
			tries: "2×local_resource@connect:N", end: "unknown local_resource attempts", waits: "1ms", counts: "a2 r1 u1"},
	}
}

// The kinds of routes that lead nowhere (rtnetlink(7)), and what connecting along them gives.
var deadRoutes = map[string]byte{
	"192.0.2.0":    unix.RTN_PROHIBIT,    // EACCES, as a firewall's rule gives
	"198.51.100.0": unix.RTN_BLACKHOLE,   // EINVAL
	"203.0.113.0":  unix.RTN_UNREACHABLE, // EHOSTUNREACH
}

// inNamespace, in the environment, says that the test below runs in a namespace of its own.
const inNamespace = "SONDE_TEST_NAMESPACE"

// TestConformanceInANamespace runs its rows in a child with a network of its own.
func TestConformanceInANamespace(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		furnish(t)
		for _, r := range namespaceRows() {
			r.version = "1.1"
			t.Run(r.id, r.onSockets)
		}
		return
	}
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestConformanceInANamespace$", "-test.v")
	child.Env = append(os.Environ(), inNamespace+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var out strings.Builder
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Skipf("this machine lets nobody make a network namespace, so its kernel cannot be asked: %v", err)
	}
	err := child.Wait()
	if strings.Contains(out.String(), "\n--- SKIP") {
		t.Skipf("this machine's namespaces cannot be furnished: %s", &out)
	}
	if err != nil || !strings.Contains(out.String(), "\n--- PASS") {
		t.Errorf("%v: %s", err, &out)
	}
}

// furnish makes the namespace what the rows need: loopback that is up, dead routes, and a kernel that gives up
// connecting after three seconds.
func furnish(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Skipf("bringing up loopback: %v", err)
	}
	for network, kind := range deadRoutes {
		if err := addRoute(network, kind); err != nil {
			t.Skipf("adding a route to %s: %v", network, err)
		}
	}
	sysctl(t, "tcp_syn_retries", "1")
	if _, err := os.Stat(sysctls + "tcp_syn_linear_timeouts"); err == nil {
		sysctl(t, "tcp_syn_linear_timeouts", "0")
	}
}

const sysctls = "/proc/sys/net/ipv4/"

// sysctl sets what the namespace has of its own.
func sysctl(t *testing.T, name, value string) {
	if err := os.WriteFile(sysctls+name, []byte(value), 0); err != nil {
		t.Skip(err)
	}
}

// addRoute adds a route to a network of 24 bits, by a message of rtnetlink(7).
func addRoute(network string, kind byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	order := binary.NativeEndian
	m := order.AppendUint32(nil, unix.SizeofNlMsghdr+unix.SizeofRtMsg+8) // header, route, one attribute
	m = order.AppendUint16(m, unix.RTM_NEWROUTE)
	m = order.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	m = append(m, make([]byte, 8)...) // sequence and sender
	m = append(m, unix.AF_INET, 24, 0, 0, unix.RT_TABLE_MAIN, unix.RTPROT_BOOT, unix.RT_SCOPE_UNIVERSE, kind, 0, 0, 0, 0)
	m = order.AppendUint16(m, 8)
	m = order.AppendUint16(m, unix.RTA_DST)
	m = append(m, net.ParseIP(network).To4()...)
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	var answer [512]byte
	n, _, err := unix.Recvfrom(fd, answer[:], 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return fmt.Errorf("the kernel answers in %d bytes, want %d or more", n, unix.SizeofNlMsghdr+4)
	}
	if code := int32(order.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}

// to makes the run against an address.
func to(address string) func(*lab, *probe.Probe) *probe.Result {
	return func(l *lab, _ *probe.Probe) *probe.Result {
		return l.run(l.probe("nowhere", func(s *setup) { s.host = address }))
	}
}

// withoutPorts leaves one port to connect from, and takes it.
func withoutPorts(l *lab, p *probe.Probe) *probe.Result {
	sysctl(l.t, "ip_local_port_range", "61000 61000")
	c, err := net.Dial("tcp", l.setup.host)
	if err != nil {
		l.t.Fatal(err)
	}
	defer c.Close()
	return l.run(p)
}
