package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// sonde is the real program under a generated file.
type sonde struct {
	program  string
	attempts int // 0 for the default policy
}

func (s sonde) name() string {
	if s.attempts == 0 {
		return "sonde, default policy"
	}
	return "sonde"
}

// buildSonde builds ./cmd/sonde into dir.
func buildSonde(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "sonde")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "sonde/cmd/sonde")
	endWithUs(build)
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building sonde/cmd/sonde: %w\n%s", err, text)
	}
	return program, nil
}

func (s sonde) start(ctx context.Context, sc scene) (running, error) {
	r := &sondeRunning{scene: sc, attempts: s.attempts, file: filepath.Join(sc.dir, "probes.yaml")}
	if err := r.write(0); err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	r.url = "http://" + address
	r.program, err = start(ctx, "sonde", s.program, "run", "--config.file", r.file, "--web.listen-address", address, "--log.level", "error")
	if err != nil {
		return nil, err
	}
	if err := awaitOK(ctx, r.program, r.url+"/-/ready"); err != nil {
		r.stop()
		return nil, err
	}
	r.ready = time.Since(r.program.started)
	r.spent, err = cpuOf(r.program.pid())
	return r, err
}

// sondeRunning is sonde at work.
type sondeRunning struct {
	scene
	attempts  int
	file, url string
	program   *process
	ready     time.Duration // after the start
	spent     time.Duration // CPU, until it was ready
	busy      number        // CPU seconds a second while it only probes
}

func (r *sondeRunning) process() *process { return r.program }
func (r *sondeRunning) mark() error       { return nil }
func (r *sondeRunning) stop()             { r.program.stop() }

// write writes the file of probes, of which the first so many are changed.
func (r *sondeRunning) write(changed int) error {
	f, err := os.Create(r.file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "defaults:\n  interval: %s\n  connection: {reuse: %t, idle_timeout: %s}\n",
		r.interval, r.pattern == reused, r.interval+15*time.Second)
	if r.attempts > 0 {
		fmt.Fprintf(w, "  retry: {attempts: %d}\n", r.attempts)
	}
	fmt.Fprint(w, "probes:\n")
	for i := range r.targets {
		fmt.Fprintf(w, "  - name: %s\n    http: {url: %q}\n", targetName(i), targetURL(i, r.port))
		if i < changed {
			fmt.Fprint(w, "    timeout: {sock_read: 9s}\n")
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", r.file, err)
	}
	return nil
}

// finish reads sonde's metrics once, for what it says of itself, and then a few times more, for what
// that costs; the latter not if it does not keep up, for then nothing can be told apart.
func (r *sondeRunning) finish(ctx context.Context, s *sample) error {
	s.ready, s.startCPU = number(r.ready.Seconds()), number(r.spent.Seconds())
	seen, err := r.read(ctx)
	if err != nil {
		return err
	}
	seen.into(s)
	if !s.keepsUp() {
		return nil
	}
	return r.costOfScrape(ctx, s)
}

// scrapes is how many times the metrics are read for their cost: fewer if there are many probes.
func scrapes(targets int) int {
	switch {
	case targets <= 5000:
		return 5
	case targets <= 20000:
		return 2
	}
	return 1
}

// costOfScrape reads the metrics, and takes from the CPU used what probing used meanwhile.
func (r *sondeRunning) costOfScrape(ctx context.Context, s *sample) error {
	n := scrapes(r.targets)
	before, err := cpuOf(r.program.pid())
	if err != nil {
		return err
	}
	begun := time.Now()
	for range n {
		size, err := r.drain(ctx)
		if err != nil {
			return err
		}
		s.scrapeBytes = number(size)
	}
	took := time.Since(begun)
	after, err := cpuOf(r.program.pid())
	if err != nil {
		return err
	}
	s.scrapeTime = number(took.Seconds() / float64(n))
	s.scrapeCPU = max(0, (number((after-before).Seconds())-r.busy*number(took.Seconds()))/number(n))
	return nil
}
