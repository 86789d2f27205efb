package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/metrics"
	"sonde/probe/retry"
	"sonde/probe/schedule"
	"sonde/probe/status"
	"sonde/schema"
)

type runCommand struct {
	fileFlags
	Files []string `arg:"" optional:"" name:"FILE" help:"The same as --config.file."`
	shardFlag
	daemonFlags
}

// daemonFlags are what run and demo share.
type daemonFlags struct {
	Web webFlags `embed:""`
	probeFlags
	Log logFlags `embed:""`
}

// probeFlags bound what probing may use.
type probeFlags struct {
	Concurrency    int `name:"probe.concurrency" default:"${concurrency}" placeholder:"N" help:"How many runs may go on at a time (default: ${default}). One that waits to retry counts in run, not in once."`
	MaxConnections int `name:"probe.max-connections" default:"0" placeholder:"N" help:"How many connections may be open at a time; 0 is no limit but that of open files (ulimit -n)."`
}

// Validate is called by kong.
func (f probeFlags) Validate() error {
	switch {
	case f.Concurrency < 1:
		return fmt.Errorf("--probe.concurrency is %d, want 1 or more", f.Concurrency)
	case f.MaxConnections < 0:
		return fmt.Errorf("--probe.max-connections is %d, want 0 (no limit) or more", f.MaxConnections)
	}
	return nil
}

// connections are what a network is made with. log makes the logger that is told of a bug of the network's.
func (f probeFlags) connections(log func() *slog.Logger) conn.Options {
	return conn.Options{
		MaxConnections: f.MaxConnections, Descriptors: ownDescriptors().forProbes(),
		Bug: func(p *probe.PanicError) { logStray(log(), p) },
	}
}

// Help is shown by sonde run --help.
func (*runCommand) Help() string {
	return `Reads the files anew when they change, at SIGHUP, and at POST /-/reload. Serves /, /metrics, /-/healthy, /-/ready.

Example: sonde run probes.yaml --web.listen-address=127.0.0.1:10115`
}

func (c *runCommand) run(ctx context.Context, t *terminal) error {
	t.detach(ctx)
	for _, path := range slices.Concat(c.ConfigFile, c.Files) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return cannot(fmt.Errorf("%s %w", path, errNoFile), "run reads its files again and again; a pipe of the shell's can be given to sonde once")
		}
	}
	part, err := c.shard()
	if err != nil {
		return err
	}
	return c.serve(ctx, t, func(n *conn.Network) source {
		src := sourceOf(c.fileFlags, c.Files, n)
		src.shard, src.memory.Lean = part, true
		return src
	}, nil)
}

// stopTimeout bounds how long an end may take: canceled runs return at once, requests may be slow. Tests alone change it.
var stopTimeout = 5 * time.Second

// welcome tells a person of a daemon that has begun to serve.
type welcome func(t *terminal, set *schema.Set, listeners []net.Listener)

// serve runs the probes of a source and serves what comes of it until ctx ends. All that can fail comes
// before the first probe runs. greet may be nil.
func (f daemonFlags) serve(ctx context.Context, t *terminal, open func(*conn.Network) source, greet welcome) error {
	outliveReaders()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	if err := f.Web.check(); err != nil {
		return err
	}
	network := conn.New(f.options(t))
	defer network.Close()
	d := f.daemon(t, open(network))
	var err error
	if d.web, err = openWebConfig(f.Web, d.log, d.recorder.WebReloaded); err != nil {
		return err
	}
	defer d.web.close()
	d.files.log(d.log, f.MaxConnections)
	set, err := d.source.loadOrSay(ctx, t, statusCannot)
	if errors.As(err, &interrupted{}) { // which ends run well, also while it reads
		d.log.Info("stopped before the first probe ran", "cause", err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	listeners, err := f.Web.listen()
	if err != nil {
		closeAll(set.Probes)
		return err
	}
	if greet != nil {
		greet(t, set, listeners)
	}
	t.queue.hurry()
	return d.run(ctx, set, d.files.limited(listeners), hangup)
}

// daemon is the parts of a running sonde, wired.
type daemon struct {
	flags     daemonFlags
	log       *slog.Logger
	files     descriptors
	source    source
	divider   *divider
	scheduler *schedule.Scheduler
	reloader  *reloader
	watcher   *watcher
	collector *collector
	site      *site
	recorder  *metrics.Recorder
	web       *webConfig // nil without such a file
}

// options are what the network is made with.
func (f daemonFlags) options(t *terminal) conn.Options {
	return f.connections(func() *slog.Logger { return f.Log.newLogger(t.err) })
}

func (f daemonFlags) daemon(t *terminal, src source) *daemon {
	build := thisBuild()
	d := &daemon{flags: f, log: f.Log.logger(t.queue), files: ownDescriptors(), source: src}
	recorder, board := metrics.New(metrics.Build(build)), status.New(build.Version)
	d.recorder = recorder
	recorder.LogDropped(t.queue.dropped.Load)
	d.divider = &divider{shard: src.shard, board: board, metrics: recorder, log: d.log}
	if src.shard.Divided() {
		recorder.Sharded(src.shard.Index, src.shard.Count)
	}
	d.scheduler = schedule.New(schedule.Options{
		Engine: &retry.Engine{}, Meter: recorder, Concurrency: f.Concurrency, Punctual: true,
		Sink: probe.Sinks{recorder, board, &logSink{log: d.log}},
	})
	d.reloader = newReloader(src.load, d.apply, func(err error, at time.Time, hash string) {
		recorder.Reloaded(err == nil, at, hash)
		board.Reloaded(err == nil, at, problemLines(err)...)
	}, d.log)
	d.collector = newCollector()
	d.reloader.before, d.reloader.after = func() { d.web.reload() }, d.collector.loaded
	d.watcher = newWatcher(src.paths, d.fileChanged, d.log)
	d.watcher.reached = src.reached
	d.site = &site{page: board, metrics: recorder.Handler(), reload: func(ctx context.Context) (string, error) {
		return d.reloader.ask(ctx, "request")
	}}
	return d
}

// apply makes a set the running one, but for what is another shard's.
func (d *daemon) apply(set *schema.Set) string {
	part := d.divider.divide(set)
	d.files.logFor(d.log, len(set.Probes), d.flags.Concurrency, d.flags.MaxConnections)
	c := d.scheduler.Apply(set.Probes)
	if c.Added+c.Changed+c.Removed == 0 {
		return part + fmt.Sprintf("nothing changed: %s", count(c.Unchanged, "probe"))
	}
	return part + fmt.Sprintf("%d added, %d changed, %d removed, %d unchanged", c.Added, c.Changed, c.Removed, c.Unchanged)
}

// fileChanged is told by the watcher; the outcome has been logged when it returns. It is true when the
// files could not be read for want of descriptors.
func (d *daemon) fileChanged() bool {
	_, err := d.reloader.ask(context.Background(), "file change")
	return outOfDescriptors(err)
}

// run runs all parts until ctx ends or a server fails, and ends them.
func (d *daemon) run(ctx context.Context, set *schema.Set, listeners []net.Listener, hangup <-chan os.Signal) error {
	alive, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	build := thisBuild()
	d.log.Info("starting sonde", "version", build.Version, "revision", build.Revision)
	var going parts
	servers := serve(d.flags.Web, d.web.path(), listeners, d.site.routes(d.flags.Web.prefix()), d.log)
	d.reloader.start("start", set)
	going.start("runs", func() { d.scheduler.Run(alive) })
	going.start("reload", func() { d.reloader.run(alive, hangup) })
	going.start("memory", func() { d.collector.run(alive) })
	d.collector.loaded()
	going.start("file watch", func() { d.watcher.run(alive) })
	if d.web != nil {
		going.start("watch of --web.config.file", func() { d.web.watcher.run(alive) })
	}
	d.site.ready.Store(true)
	for i, l := range listeners {
		d.log.Info("serving", "address", l.Addr().String(), "url", d.flags.Web.url(listeners[i]))
	}
	var err error
	select {
	case <-ctx.Done():
		d.log.Info("stopping", "cause", context.Cause(ctx).Error())
	case failed := <-servers.failed:
		err = cannot(failed, "")
	}
	stop(context.Cause(ctx))
	d.end(going, servers)
	return err
}

// end waits until all parts have ended, but not for ever.
func (d *daemon) end(going parts, servers *servers) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	servers.shutdown(ctx)
	if left := going.wait(ctx); len(left) > 0 {
		d.log.Warn("stopped, though not all has ended", "left", strings.Join(left, ", "), "waited", stopTimeout)
		return
	}
	d.log.Info("stopped")
}
