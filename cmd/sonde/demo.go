package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/schema"
)

type demoCommand struct {
	Once bool `help:"Probe each once, print the table of sonde once, and end."`
	daemonFlags
}

// Help is shown by sonde demo --help.
func (*demoCommand) Help() string {
	return `Runs endpoints on loopback within itself, and probes them as run does. Ctrl-C ends it. With --once it probes each once, prints what once prints, and exits 0, though some are down by plan.

Example: sonde demo --once`
}

func (c *demoCommand) run(ctx context.Context, t *terminal) error {
	t.detach(ctx)
	d, err := startDemo()
	if err != nil {
		return cannot(err, "")
	}
	defer d.close()
	if c.Once {
		return c.once(ctx, t, d)
	}
	return c.serve(ctx, t, d.source, c.welcome)
}

func (c *demoCommand) once(ctx context.Context, t *terminal, d *demo) error {
	network := conn.New(c.connections(func() *slog.Logger { return c.Log.newLogger(t.err) }))
	defer network.Close()
	return c.show(ctx, t, d, network)
}

// show prints the table of the demo, as it is seen through a network. It exits 0, for what is down in it is
// meant to be.
func (c *demoCommand) show(ctx context.Context, t *terminal, d *demo, network *conn.Network) error {
	set, err := d.source(network).loadOrSay(ctx, t, statusCannot)
	if err != nil {
		return err
	}
	defer closeAll(set.Probes)
	o := onceCommand{probeFlags: c.probeFlags, LogLevel: c.Log.Level, LogFormat: c.Log.Format}
	err = o.show(ctx, t, set.Probes)
	if err == error(exitStatus(statusFailed)) {
		return nil
	}
	return err
}

// source is the demo's file; there is nothing to watch.
func (d *demo) source(network *conn.Network) source {
	all := kinds.All(network, thisBuild().Version)
	return source{name: "the demo", read: func() (*schema.Set, error) {
		return schema.Parse("demo.yaml", d.file(), all)
	}}
}

// welcome says where to look.
func (c *demoCommand) welcome(t *terminal, set *schema.Set, listeners []net.Listener) {
	fmt.Fprintf(t.out, "%s of endpoints in this process: up, flaky and down. Each runs within ten seconds.\n\n",
		count(len(set.Probes), "probe"))
	for _, l := range listeners {
		url := c.Web.url(l)
		fmt.Fprintf(t.out, "  page     %s\n  metrics  %smetrics\n", url, url)
	}
	fmt.Fprintf(t.out, "\nCtrl-C ends it. --log.level=warn shows every retry.\n")
}
