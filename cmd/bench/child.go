package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// A child is this program again, as a process of its own, so that its CPU and memory are counted apart
// or not at all. Its first argument is a name of this table, its second a setup in JSON. Once it is
// ready it writes a line of JSON; then it reads commands, a line each, and answers each with one line:
//
//	mark    forget what has been measured so far
//	report  tell what has been measured since
//
// It ends when its standard input does, and so with the process that started it.
var children = map[string]func(setup) (worker, error){
	"child-server": startServer,
	"child-loop":   startLoop,
	"child-busy":   startBusy,
}

// setup is what a child has to know.
type setup struct {
	Targets  int
	Interval time.Duration
	Port     int    // of the targets
	Fresh    bool   // a connection for each probe
	Blackbox string // probe through the blackbox_exporter at this address
	Busy     int    // how many goroutines spin
	Prefer   bool   // before all other processes
}

// worker is what a child does meanwhile.
type worker interface {
	// ready is told to the parent once.
	ready() any
	mark()
	report() any
}

// childMain is main in a child; it returns the exit status.
func childMain(start func(setup) (worker, error), argument string) int {
	runtime.UnlockOSThread()
	var s setup
	err := json.Unmarshal([]byte(argument), &s)
	if err == nil {
		var w worker
		if w, err = start(s); err == nil {
			err = converse(w, os.Stdin, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench, child:", err)
		return statusCannot
	}
	return 0
}

// converse answers the parent until it has nothing more to say.
func converse(w worker, in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	if err := answers.Encode(w.ready()); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var answer any = struct{}{}
		switch command := lines.Text(); command {
		case "mark":
			w.mark()
		case "report":
			answer = w.report()
		default:
			return fmt.Errorf("command is %q, want mark or report", command)
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// busy is a child that uses CPU and does nothing else.
type busy struct{}

func startBusy(s setup) (worker, error) {
	runtime.GOMAXPROCS(s.Busy + 1)
	for range s.Busy {
		go func() {
			for n := uint32(1); ; {
				n = n*1664525 + 1013904223
			}
		}()
	}
	return busy{}, nil
}

func (busy) ready() any  { return struct{}{} }
func (busy) mark()       {}
func (busy) report() any { return struct{}{} }
