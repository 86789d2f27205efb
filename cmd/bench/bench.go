package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// bench is a benchmark under way.
type bench struct {
	*options
	dir        string
	contenders []contender
	absent     []string // contenders that are not on this machine
	machine    string
	summary    summary
	figures    []figure
}

// run measures all that was asked for, and prints a table as soon as it is whole.
func (o *options) run(ctx context.Context) error {
	if err := system(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sonde-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir}
	if err := b.gather(ctx); err != nil {
		return err
	}
	b.machine = fmt.Sprintf("%d cores, %s/%s, %s, load %s before the start.",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), loadAverage())
	fmt.Println(b.machine, explained)
	if err := b.measure(ctx); err != nil {
		return err
	}
	err = b.judge()
	if !errors.Is(err, errWorse) {
		return errors.Join(err, b.tell())
	}
	say("%v; this machine may have had something else to do, so it is measured once more", err)
	b.summary, b.figures = summary{}, nil
	if err := b.measure(ctx); err != nil {
		return err
	}
	return b.judge()
}

// measure measures all cases, and prints each table as soon as it is whole.
func (b *bench) measure(ctx context.Context) error {
	for _, name := range b.cases {
		measure := map[string]func(context.Context) error{
			"steady": b.steady, "scraped": b.scraped, "start": b.start, "reload": b.reload, "overload": b.overload,
		}[name]
		if err := measure(ctx); err != nil {
			return fmt.Errorf("case %s: %w", name, err)
		}
	}
	b.print(b.summary.table())
	b.print(figuresTable(b.figures))
	return nil
}

// gather finds the contenders that are wanted, and builds sonde if it is one of them.
func (b *bench) gather(ctx context.Context) error {
	wanted := func(c contender) {
		if b.has(c.name()) {
			b.contenders = append(b.contenders, c)
		}
	}
	wanted(bare{})
	wanted(sonde{b.program, 1})
	if !b.short {
		wanted(sonde{b.program, 0})
	}
	if exporter, ok := findBlackbox(); ok {
		wanted(exporter)
	} else if b.has(blackboxName) {
		b.absent = append(b.absent, blackboxName)
	}
	if len(b.contenders) == 0 {
		return errors.New("--only leaves no contender")
	}
	if b.program != "" || b.sondeOf(1) == nil {
		return nil
	}
	program, err := buildSonde(ctx, b.dir)
	for i, c := range b.contenders {
		if s, ok := c.(sonde); ok {
			b.contenders[i] = sonde{program, s.attempts}
		}
	}
	return err
}

// sondeOf is sonde with so many attempts, or with the default policy for 0; nil if sonde is not wanted.
func (b *bench) sondeOf(attempts int) contender {
	for _, c := range b.contenders {
		if s, ok := c.(sonde); ok {
			return sonde{s.program, attempts}
		}
	}
	return nil
}

// errMachine is why a measurement was left out, though nothing failed.
type errMachine struct{ text string }

func (e errMachine) Error() string { return "this machine cannot: " + e.text }

// ready makes the machine ready for a scene, or says why it cannot be.
func ready(s scene) error {
	want := 4096
	if s.pattern == reused {
		want += s.targets
	}
	got, err := raiseFiles(want)
	if err != nil {
		return err
	}
	if got < want {
		return errMachine{fmt.Sprintf("needs %d open files a process, here are %d", want, got)}
	}
	return nil
}

// stage is a server, and a contender that probes its targets.
type stage struct {
	scene
	server *process
	running
}

// set starts a server and a contender, and lets them run until every target's probe has come once.
func (b *bench) set(ctx context.Context, c contender, l load, p pattern, prefer bool) (*stage, error) {
	st := &stage{scene: scene{load: l, pattern: p, dir: b.dir}}
	if err := ready(st.scene); err != nil {
		return nil, err
	}
	var at serverReady
	var err error
	st.server, err = startChild(ctx, "child-server", setup{Targets: l.targets, Interval: l.interval, Prefer: prefer}, &at)
	if err != nil {
		return nil, err
	}
	if st.port = at.Port; at.Fair != "" {
		say("the server has to share the CPU, so targets may be slow: %s", at.Fair)
	}
	if st.running, err = c.start(ctx, st.scene); err != nil {
		st.server.stop()
		return nil, err
	}
	return st, nil
}

func (st *stage) strike() {
	st.running.stop()
	st.server.stop()
}

// warm lets it run until every target's probe has come once, and a little longer.
func (b *bench) warm(ctx context.Context, l load) error {
	return pause(ctx, max(b.warmup, l.interval+min(l.interval, time.Second)/2))
}

// window is how long a load is measured: long enough for a gap between two probes of each target.
func (b *bench) window(l load) time.Duration {
	return max(b.duration, l.interval+l.interval/20)
}

// measure measures one window.
func (st *stage) measure(ctx context.Context, window time.Duration) (*sample, error) {
	s := newSample()
	if err := errors.Join(st.server.ask("mark", nil), st.mark()); err != nil {
		return nil, err
	}
	pid := st.process().pid()
	before, err := cpuOf(pid)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := pause(ctx, window); err != nil {
		return nil, err
	}
	after, err := cpuOf(pid)
	if err != nil {
		return nil, err
	}
	took := time.Since(begun)
	if err := st.see(s); err != nil {
		return nil, err
	}
	used := number((after - before).Seconds())
	s.cpu = used / (s.done * number(took.Seconds()))
	if r, ok := st.running.(*sondeRunning); ok {
		r.busy = used / number(took.Seconds())
	}
	if err := st.finish(ctx, s); err != nil {
		s.reasons = err.Error() // what the server has seen stands
	}
	return s, st.remember(s)
}

// see adds what the server has seen, and the memory that is held at the end of the window.
func (st *stage) see(s *sample) error {
	var seen serverReport
	if err := st.server.ask("report", &seen); err != nil {
		return err
	}
	s.scheduled, s.done = number(st.rate()), number(float64(seen.Requests)/seen.Elapsed.Seconds())
	s.connections = number(seen.Accepted) / number(max(1, seen.Requests))
	s.late, s.gap = seen.Late, seen.Gap
	s.seen = number(seen.Seen) / number(st.targets)
	if seen.First > 0 {
		s.first = number(time.Unix(0, seen.First).Sub(st.process().started).Seconds())
	}
	held, err := memoryOf(st.process().pid())
	s.rest = held.now
	return err
}

// remember adds the most memory that was ever held, scrapes included.
func (st *stage) remember(s *sample) error {
	held, err := memoryOf(st.process().pid())
	s.peak = held.peak
	return err
}

// print prints a table on standard output.
func (b *bench) print(t *table) {
	if len(t.rows) == 0 {
		return
	}
	if b.markdown {
		t.markdown(os.Stdout)
	} else {
		t.plain(os.Stdout)
	}
}

// loadAverage is what the machine had to do in the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return string(text[:max(0, slices.Index(text, ' '))])
}
