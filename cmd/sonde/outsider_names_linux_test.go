package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// outsideNames, in the environment, says that the test below runs where it may be the machine's name server.
const outsideNames = "SONDE_TEST_NAMES"

// TestOutsiderNames runs sonde where the machine's one name server is the test's own. That takes a namespace of
// network and mounts, in which nothing but loopback is.
func TestOutsiderNames(t *testing.T) {
	if os.Getenv(outsideNames) != "" {
		judgeNames(t, furnishNames(t))
		return
	}
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestOutsiderNames$", "-test.v")
	child.Env = append(os.Environ(), outsideNames+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Skipf("this machine lets nobody make a namespace, so its resolver cannot be led elsewhere: %v", err)
	}
	err := child.Wait()
	if strings.Contains(out.String(), "\n--- SKIP") {
		t.Skipf("this machine's namespaces cannot be furnished: %s", &out)
	}
	if err != nil || !strings.Contains(out.String(), "\n--- PASS") {
		t.Errorf("%v: %s", err, &out)
	}
}

// askFor has the resolver ask loopback, once and for so many seconds.
func askFor(t *testing.T, seconds int, file string) {
	t.Helper()
	text := fmt.Sprintf("nameserver 127.0.0.1\noptions timeout:%d attempts:1\n", seconds)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// furnishNames brings up loopback, and returns the file that says whom the resolver asks.
func furnishNames(t *testing.T) (file string) {
	file = t.TempDir() + "/resolv.conf"
	askFor(t, 1, file)
	if err := unix.Mount(file, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Skipf("mounting a resolv.conf of our own: %v", err)
	}
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
	return file
}

// namesOutside are names, and what is said of them.
var namesOutside = []struct {
	name string
	want wanted
}{
	{"good.outside", passed("up", 1)},
	{"nxdomain.outside", down("dns_not_found", "attempts", 2, "never_sent", "resolve")},
	{"empty.outside", down("dns_not_found", "attempts", 2, "never_sent", "resolve")},
	{"servfail.outside", down("dns_temporary", "attempts", 2, "never_sent", "resolve")},
	{"refused.outside", down("dns_server", "attempts", 2, "never_sent", "resolve")},
	{"notimp.outside", down("dns_server", "attempts", 2, "never_sent", "resolve")},
	{"silent.outside", down("dns_timeout", "attempts", 2, "never_sent", "resolve")},
	{"garbage.outside", down("dns_timeout", "attempts", 2, "never_sent", "resolve")},
	{"other-id.outside", down("dns_timeout", "attempts", 2, "never_sent", "resolve")},
	{"silent-for-connect.outside", down("limit_connect", "attempts", 2, "never_sent", "resolve")},
	{"silent-for-total.outside", down("limit_total", "attempts", 2, "never_sent", "resolve")},
}

func judgeNames(t *testing.T, resolv string) {
	server, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go answerNames(server)
	_, at := listenOutside(t, replying(okFine))
	_, port, _ := net.SplitHostPort(at)
	inRounds(t, len(namesOutside), func(t *testing.T, which []int, stretch int) []trial {
		askFor(t, stretch, resolv)
		return tryNames(t, which, stretch, port)
	})
}

// tryNames runs probes of some of the names.
func tryNames(t *testing.T, which []int, stretch int, port string) (trials []trial) {
	text := outsiderDefaults
	limits := map[string]string{
		"silent-for-connect.outside": "timeout: {connect: 200ms}, ",
		"silent-for-total.outside":   "timeout: {total: 200ms, connect: none, sock_connect: none}, ",
	}
	for _, i := range which {
		n := namesOutside[i]
		trials = append(trials, trial{outsider: outsider{name: n.name, want: n.want}})
		text += "  - {name: " + n.name + ", " + limits[n.name] + "http: {url: \"http://" + n.name + ":" + port + "/\"}}\n"
	}
	for i, r := range onceJSON(t, exec.Command("sonde"), stretched(text, stretch)) {
		trials[i].got = r
	}
	return trials
}

// answerNames answers questions by what the names ask for.
func answerNames(c net.PacketConn) {
	buf := make([]byte, 1<<10)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		if answer, err := answerName(buf[:n]); err == nil && answer != nil {
			c.WriteTo(answer, from)
		}
	}
}

var codesOfNames = map[string]dnsmessage.RCode{
	"nxdomain": dnsmessage.RCodeNameError, "servfail": dnsmessage.RCodeServerFailure, "refused": dnsmessage.RCodeRefused,
	"notimp": dnsmessage.RCodeNotImplemented, "empty": dnsmessage.RCodeSuccess, "good": dnsmessage.RCodeSuccess,
	"other-id": dnsmessage.RCodeNameError,
}

func answerName(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	if len(m.Questions) != 1 {
		return nil, errors.New("want one question")
	}
	q := m.Questions[0]
	what, _, _ := strings.Cut(q.Name.String(), ".")
	if what == "garbage" {
		return []byte("what?"), nil
	}
	code, known := codesOfNames[what]
	if !known {
		return nil, nil
	}
	if what == "other-id" {
		m.ID++
	}
	m.Response, m.RecursionAvailable, m.RCode, m.Additionals = true, true, code, nil
	if what == "good" && q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	return m.Pack()
}
