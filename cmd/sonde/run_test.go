package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunServesFromTheFirstMomentOn(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	s, url := startRun(t, "--log.level=debug", probesFile(t, "home="+web.URL+"/ok", "broken="+web.URL+"/gone"))
	for path, want := range map[string]int{"/-/healthy": 200, "/-/ready": 200, "/metrics": 200, "/": 200, "/config": 404} {
		if status, _ := call(t, "GET", url+path); status != want {
			t.Errorf("%s answers %d, want %d", path, status, want)
		}
	}
	s.err.await(t, `msg="probe is up" probe=home`)
	s.err.await(t, `level=WARN .*msg="probe is down" probe=broken`)
	if got := metric(t, url, `sonde_config_last_reload_successful`); got != "1" {
		t.Errorf("sonde_config_last_reload_successful is %s, want 1", got)
	}
	if got := metric(t, url, `probe_success{probe="home"}`); got != "1" {
		t.Errorf("probe_success of home is %s, want 1", got)
	}
	_, page := call(t, "GET", url+"/")
	if got := names(page, "home", "broken"); len(got) != 2 {
		t.Errorf("the page shows %v, want both probes", got)
	}
	if status := s.stop(); status != statusOK {
		t.Errorf("exit status %d after SIGTERM, want 0:\n%s", status, s.err)
	}
}

func TestRunReloadsByPost(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	file := probesFile(t, "home="+web.URL+"/ok")
	_, url := startRun(t, file)
	type step struct {
		status int
		answer string
	}
	reload := func() step {
		status, body := call(t, "POST", url+"/-/reload")
		return step{status, strings.TrimSpace(strings.ReplaceAll(body, file, "FILE"))}
	}
	if diff := cmp.Diff(step{200, "nothing changed: 1 probe"}, reload(), cmp.AllowUnexported(step{})); diff != "" {
		t.Errorf("of an unchanged file (-want +got):\n%s", diff)
	}
	put(t, file, probesText("home="+web.URL+"/ok", "other="+web.URL+"/ok"))
	if got := reload(); got.status != 200 {
		t.Errorf("of a changed file: %v", got)
	}
	put(t, file, "probes:\n  - {name: home, htpt: {url: x}}\n")
	got := reload()
	if got.status != 500 || !strings.HasPrefix(got.answer, "reload failed; what ran before runs on:\nFILE:2:") {
		t.Errorf("of a bad file: %v", got)
	}
	if got := metric(t, url, "sonde_config_last_reload_successful"); got != "0" {
		t.Errorf("sonde_config_last_reload_successful is %s, want 0", got)
	}
	if got := metric(t, url, `sonde_runs_total{probe="other"}`); got == "absent" {
		t.Error("the good configuration has not run on: sonde_runs_total of other is absent")
	}
	const notice = "Every reload since "
	if _, page := call(t, "GET", url); !strings.Contains(page, notice) || !strings.Contains(page, "probes.yaml:2:18: probes[0].htpt is not a known key") {
		t.Errorf("the page does not say that the file was refused, and why:\n%s", page)
	}
	put(t, file, probesText("home="+web.URL+"/ok"))
	reload()
	if _, page := call(t, "GET", url); strings.Contains(page, notice) {
		t.Errorf("the page still says that the file was refused:\n%s", page)
	}
}

func TestRunReloadsWhenAFileChanges(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	file := probesFile(t, "home="+web.URL+"/ok")
	s, url := startRun(t, file)
	put(t, file, probesText("other="+web.URL+"/ok"))
	s.err.await(t, `msg="configuration loaded" cause="file change" .*change="1 added, 0 changed, 1 removed, 0 unchanged"`)
	put(t, file, "probes: none of them\n")
	s.err.await(t, `msg="reload failed; what ran before runs on" cause="file change"`)
	if got := metric(t, url, `sonde_runs_total{probe="other"}`); got == "absent" {
		t.Error("the good configuration has not run on")
	}
}

func TestRunReloadsWhenAConfigMapIsSwapped(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	dir := t.TempDir()
	_, swap := configMap(t, dir, probesText("home="+web.URL+"/ok"))
	s, _ := startRun(t, dir)
	swap(probesText("other=" + web.URL + "/ok"))
	s.err.await(t, `msg="configuration loaded" cause="file change" .*change="1 added, 0 changed, 1 removed, 0 unchanged"`)
}

// A run that SIGTERM cuts says nothing of its target: it is canceled, and neither down nor counted.
func TestStopDuringAnAttempt(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	s, _ := startRun(t, "--log.level=debug", probesFile(t, "silent="+web.URL+"/silent"))
	<-web.waiting
	if status := s.stop(); status != statusOK {
		t.Errorf("exit status %d, want 0", status)
	}
	log := s.err.String()
	if !strings.Contains(log, `msg="run canceled" probe=silent`) || !strings.Contains(log, "verdict=unknown") {
		t.Errorf("the log has no canceled run:\n%s", log)
	}
	if strings.Contains(log, "probe is down") || len(warnings(log)) > 0 {
		t.Errorf("the log counts it as a failure:\n%s", log)
	}
}

func TestRunBelowAPrefix(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	_, url := startRun(t, "--web.route-prefix=/sonde/", probesFile(t, "home="+web.URL+"/ok"))
	if !strings.HasSuffix(url, "/sonde") {
		t.Errorf("it says that it serves %s, want the prefix in it", url)
	}
	if status, _ := call(t, "GET", url+"/-/ready"); status != 200 {
		t.Errorf("ready below the prefix answers %d, want 200", status)
	}
}

func TestRunWithPasswords(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	config := filepath.Join(t.TempDir(), "web.yml")
	// The password is "secret".
	put(t, config, "basic_auth_users:\n  admin: $2a$04$//kEyR7REqJEa33vwEpGWOYI20l71EuVj5sKlzCaCOGDFp70Le2.K\n")
	_, url := startRun(t, "--web.config.file="+config, probesFile(t, "home="+web.URL+"/ok"))
	if status, _ := call(t, "GET", url+"/metrics"); status != http.StatusUnauthorized {
		t.Errorf("without a password it answers %d, want 401", status)
	}
}

func TestRunWithTLS(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	config := tlsFiles(t)
	_, url := startRun(t, "--web.config.file="+config, probesFile(t, "home="+web.URL+"/ok"))
	check := startCommand(t, "healthcheck", "--url="+url+"/-/healthy")
	if status := check.wait(); status != statusFailed || !strings.Contains(check.err.String(), "certificate") {
		t.Errorf("a certificate that nobody knows: exit status %d, want 1 and the reason:\n%s", status, check.err)
	}
	check = startCommand(t, "healthcheck", "--insecure-skip-verify", "--url="+url+"/-/healthy")
	if status := check.wait(); status != statusOK {
		t.Errorf("healthcheck over TLS: exit status %d, want 0:\n%s", status, check.err)
	}
}

func TestRunLogsWarningsOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, file, "probes:\n  - name: home\n    timeout: {total: 2s, connect: 5s}\n    http: {url: \"http://127.0.0.1:1/\"}\n")
	s, _ := startRun(t, file)
	want := `msg="the configuration works but looks wrong" place=` + file + ":3:"
	if log := s.err.String(); strings.Count(log, want) != 1 || strings.Contains(log, "\n"+file) {
		t.Errorf("the log has no warning, or more than one:\n%s", log)
	}
}

// warnings are the lines of a log that warn of something else than the file.
func warnings(log string) (lines []string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "level=WARN") && !strings.Contains(line, `msg="the configuration works but looks wrong"`) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A process of its own, for signals are the whole process's.
func TestSignals(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	file := probesFile(t, "silent="+web.URL+"/silent")
	p := startProcess(t, "run", "--web.listen-address=127.0.0.1:0", file)
	p.err.await(t, `msg=serving`)
	p.signal(t, sighup)
	p.err.await(t, `msg="configuration loaded" cause=SIGHUP .*change="nothing changed: 1 probe"`)
	<-web.waiting
	p.signal(t, sigterm)
	if status := p.wait(t); status != statusOK {
		t.Errorf("exit status %d after SIGTERM, want 0:\n%s", status, p.err)
	}
	if len(warnings(p.err.String())) > 0 {
		t.Errorf("the log counts the canceled run as a failure:\n%s", p.err)
	}
}

// A request that never ends holds the end up for a while; the second signal does not wait for it. It has to be one
// that is being answered: a connection on which none is complete is given up after a few seconds.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "run", "--web.listen-address=127.0.0.1:0", probesFile(t, "home=http://127.0.0.1:1/"))
	address := p.err.await(t, `msg=serving address=(\S+)`)[1]
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /-/reload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
	p.err.await(t, `msg="configuration loaded" cause=request`)
	p.signal(t, os.Interrupt)
	p.err.await(t, `msg=stopping cause="stopped by a signal \(interrupt\)"`)
	p.signal(t, os.Interrupt)
	if status := p.wait(t); status != statusInterrupted {
		t.Errorf("exit status %d, want 130:\n%s", status, p.err)
	}
}

func TestInterruptedOncePrintsWhatIsFinished(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	file := probesFile(t, "home="+web.URL+"/ok", "silent="+web.URL+"/silent")
	p := startProcess(t, "once", "--log.level=debug", file)
	p.err.await(t, `msg="probe is up" probe=home`)
	<-web.waiting
	p.signal(t, os.Interrupt)
	if status := p.wait(t); status != statusInterrupted {
		t.Errorf("exit status %d, want 130", status)
	}
	if got := names(p.out.String(), "home", "silent"); !cmp.Equal(got, []string{"home"}) {
		t.Errorf("the table has %v, want home alone:\n%s", got, p.out)
	}
	p.err.await(t, `(?m)^sonde: interrupted: 1 of 2 probes finished; not finished: silent$`)
}
