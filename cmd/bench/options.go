package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// load is how many targets there are, and how often each is probed.
type load struct {
	targets  int
	interval time.Duration
}

func (l load) rate() float64 { return float64(l.targets) / l.interval.Seconds() }

// String is how a load is written among the flags.
func (l load) String() string {
	interval := l.interval.String()
	if whole, ok := strings.CutSuffix(interval, "m0s"); ok {
		interval = whole + "m"
	}
	return fmt.Sprintf("%d@%s", l.targets, interval)
}

// pattern is whether each probe makes a connection of its own.
type pattern string

const (
	fresh  pattern = "fresh"
	reused pattern = "reused"
)

// Bounds of what may be asked for, so that no slip of the pen can bring a machine down.
const (
	maxTargets  = 200_000
	maxRate     = 50_000
	maxRounds   = 20
	maxDuration = 10 * time.Minute
)

// options is what the flags say.
type options struct {
	loads    []load
	patterns []pattern
	cases    []string
	rounds   int
	duration time.Duration // of a window, the interval at least
	warmup   time.Duration // after all are ready, the interval at least
	short    bool
	markdown bool
	only     []string // contenders; empty for all
	program  string   // a binary to measure instead of building one
	pages    []string // files whose tables are to be renewed
}

var errHelp = errors.New("help was asked for")

const usage = `Usage: go run ./cmd/bench [flags]

Measures sonde, a bare net/http loop and prometheus-blackbox-exporter (where installed) side by side.
Without flags all loads, patterns and cases are measured, which takes some forty minutes. The machine
should have nothing else to do.

Examples:
  go run ./cmd/bench --short
  go run ./cmd/bench --loads 1000@1s,5000@1s --cases steady
  go run ./cmd/bench --readme README.md,cmd/bench/BENCHMARK.md
  go run ./cmd/bench --targets 100000 --interval 1m --pattern fresh --rounds 1

`

var caseNames = []string{"steady", "scraped", "start", "reload", "overload"}

// parseFlags reads the command line. It has printed the help when it returns errHelp.
func parseFlags(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	loads := flags.String("loads", "1000@1s,5000@1s,20000@1s,100000@1m", "`TARGETS@INTERVAL`, comma-separated: the loads of the case steady")
	targets := flags.Int("targets", 0, "one load of this many targets instead of --loads")
	interval := flags.Duration("interval", time.Second, "the interval that goes with --targets or --rate")
	rate := flags.Int("rate", 0, "one load of so many probes a second instead of --loads")
	patterns := flags.String("pattern", "fresh,reused", "connections: fresh, reused, or both")
	cases := flags.String("cases", strings.Join(caseNames, ","), "which cases to measure")
	only := flags.String("only", "", "measure only contenders whose `NAMES` contain one of these, comma-separated")
	output := flags.String("output", "plain", "plain or markdown")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each comparison; of a load at an interval of a minute or longer there is one")
	flags.DurationVar(&o.duration, "duration", 10*time.Second, "how long each is measured; the interval at least")
	flags.DurationVar(&o.warmup, "warmup", 3*time.Second, "how long each runs before; the interval and half a second at least")
	flags.BoolVar(&o.short, "short", false, fmt.Sprintf("a comparison of about a minute, that exits 1 when sonde costs more than %.1f times what the bare loop does, and that twice running", caught))
	flags.StringVar(&o.program, "sonde", "", "measure this `BINARY` instead of building ./cmd/sonde")
	pages := flags.String("readme", "", "put the tables into these `FILES`, comma-separated, between their marks: all of them, or that of what is stated")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, errHelp
	} else if err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: all is said by flags, see --help", flags.Arg(0))
	}
	if *rate > 0 {
		*targets = int(float64(*rate) * interval.Seconds())
	}
	if *targets > 0 {
		*loads = fmt.Sprintf("%d@%s", *targets, *interval)
	}
	o.markdown = *output == "markdown"
	o.only, o.cases, o.pages = list(*only), list(*cases), list(*pages)
	for _, p := range list(*patterns) {
		o.patterns = append(o.patterns, pattern(p))
	}
	return o.complete(*loads, *output)
}

// complete reads the loads and judges all.
func (o *options) complete(loads, output string) (*options, error) {
	for _, text := range list(loads) {
		l, err := parseLoad(text)
		if err != nil {
			return nil, err
		}
		o.loads = append(o.loads, l)
	}
	if o.short {
		o.shorten()
	}
	for _, p := range o.patterns {
		if p != fresh && p != reused {
			return nil, fmt.Errorf("--pattern has %q, want fresh or reused", p)
		}
	}
	for _, c := range o.cases {
		if !slices.Contains(caseNames, c) {
			return nil, fmt.Errorf("--cases has %q, want of %s", c, strings.Join(caseNames, ", "))
		}
	}
	switch {
	case output != "plain" && output != "markdown":
		return nil, fmt.Errorf("--output is %q, want plain or markdown", output)
	case o.rounds < 1 || o.rounds > maxRounds:
		return nil, fmt.Errorf("--rounds is %d, want 1 to %d", o.rounds, maxRounds)
	case o.duration < time.Second || o.duration > maxDuration:
		return nil, fmt.Errorf("--duration is %s, want 1s to %s", o.duration, maxDuration)
	case o.warmup < 0 || o.warmup > maxDuration:
		return nil, fmt.Errorf("--warmup is %s, want 0s to %s", o.warmup, maxDuration)
	}
	return o, nil
}

// shorten makes the comparison one that continuous integration has the time for.
func (o *options) shorten() {
	o.loads = []load{{1000, time.Second}}
	o.cases = []string{"steady"}
	o.only = []string{"bare", "sonde"}
	o.rounds, o.duration, o.warmup = 3, 2*time.Second, 0
}

// parseLoad reads TARGETS@INTERVAL.
func parseLoad(text string) (load, error) {
	number, interval, _ := strings.Cut(text, "@")
	targets, err := strconv.Atoi(number)
	if err != nil || targets < 1 || targets > maxTargets {
		return load{}, fmt.Errorf("load %q has %q targets, want 1 to %d", text, number, maxTargets)
	}
	d, err := time.ParseDuration(interval)
	if err != nil || d < 100*time.Millisecond || d > maxDuration {
		return load{}, fmt.Errorf("load %q has interval %q, want 100ms to %s", text, interval, maxDuration)
	}
	l := load{targets, d}
	if l.rate() > maxRate {
		return load{}, fmt.Errorf("load %q is %.0f probes a second, want %d at most", text, l.rate(), maxRate)
	}
	return l, nil
}

// list is the parts of a comma-separated text, without blanks.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// has is whether a contender of that name is to be measured.
func (o *options) has(name string) bool {
	return len(o.only) == 0 || slices.ContainsFunc(o.only, func(part string) bool { return strings.Contains(name, part) })
}

// say tells on standard error how things go.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
