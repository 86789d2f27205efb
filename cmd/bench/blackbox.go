package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// blackbox is Debian's prometheus-blackbox-exporter. It has no schedule of its own: a loop in another
// process, which is not counted, asks it for each probe when that is due. It always makes a connection
// for each probe, also where the others reuse theirs.
type blackbox struct{ program string }

// findBlackbox looks for the exporter, under Debian's name and its own.
func findBlackbox() (blackbox, bool) {
	for _, name := range []string{"prometheus-blackbox-exporter", "blackbox_exporter"} {
		if program, err := exec.LookPath(name); err == nil {
			return blackbox{program}, true
		}
	}
	return blackbox{}, false
}

const blackboxName = "blackbox_exporter"

func (blackbox) name() string { return blackboxName }

const blackboxFile = `modules:
  http:
    prober: http
    timeout: 30s
    http: {preferred_ip_protocol: ip4}
`

func (b blackbox) start(ctx context.Context, s scene) (running, error) {
	file := filepath.Join(s.dir, "blackbox.yml")
	if err := os.WriteFile(file, []byte(blackboxFile), 0o600); err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	r := &blackboxRunning{}
	r.exporter, err = start(ctx, blackboxName, b.program, "--config.file="+file, "--web.listen-address="+address, "--log.level=error")
	if err != nil {
		return nil, err
	}
	if err := awaitOK(ctx, r.exporter, "http://"+address+"/-/healthy"); err != nil {
		r.stop()
		return nil, err
	}
	r.loop, err = startChild(ctx, "child-loop", setup{Targets: s.targets, Interval: s.interval, Port: s.port, Blackbox: address}, nil)
	if err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

type blackboxRunning struct{ exporter, loop *process }

func (r *blackboxRunning) process() *process { return r.exporter }
func (r *blackboxRunning) mark() error       { return r.loop.ask("mark", nil) }

func (r *blackboxRunning) finish(_ context.Context, s *sample) error { return addLoop(r.loop, s) }

func (r *blackboxRunning) stop() {
	r.loop.stop()
	r.exporter.stop()
}

// startTimeout is how long a program may take until it serves.
const startTimeout = 2 * time.Minute

// awaitOK asks a URL until it answers 200, or the program ends.
func awaitOK(ctx context.Context, p *process, url string) error {
	for {
		if status, err := get(ctx, url); err == nil && status == http.StatusOK {
			return nil
		}
		if err := p.alive(); err != nil {
			return err
		}
		if time.Since(p.started) > startTimeout {
			return fmt.Errorf("%s does not answer at %s after %s: %s", p.name, url, startTimeout, p.words.String())
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// get reads a URL on loopback and returns its status.
func get(ctx context.Context, url string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := direct.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// direct asks on loopback, whatever proxy the environment has. The slowest that it asks for are the
// metrics of 100,000 probes; a program that needs longer is in no state to be measured.
var direct = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: time.Minute}
