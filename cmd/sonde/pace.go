package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// collector sets the pace of Go's garbage collector. Its own rule, room for as much garbage as there is
// live memory, is wrong for both ends of what sonde is used for: with a hundred thousand probes it doubles
// the memory of a process that makes little garbage, and with a few it collects over and over. So the room
// is about the same for all: spareRoom, but within bounds. Whoever sets GOGC has said what the pace is.
type collector struct {
	off     bool
	percent int           // that is set
	loads   chan struct{} // has something in it when files have been loaded
}

const (
	spareRoom = 48 << 20
	// leastPercent bounds, with much live memory, the share of time that is spent on collecting, during which
	// runs share their cores with it, and mostPercent how far the memory of a small process may grow before
	// anybody looks again.
	leastPercent, mostPercent = 40, 400
	// loadPercent is the pace while files are loaded first: nothing that they make is garbage for long.
	loadPercent = 200
	// lookEvery is how often the pace is set anew: live memory grows with connections and counters.
	lookEvery = 5 * time.Second
)

// newCollector is for a process that is about to load its files.
func newCollector() *collector {
	c := &collector{off: os.Getenv("GOGC") != "", percent: 100, loads: make(chan struct{}, 1)}
	if !c.off {
		c.set(loadPercent)
	}
	return c
}

// loaded tells that files have been loaded, for better or worse: their text and tree were many times what
// is kept of them, and are given back.
func (c *collector) loaded() {
	select {
	case c.loads <- struct{}{}:
	default:
	}
}

// run keeps the pace until ctx ends.
func (c *collector) run(ctx context.Context) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.loads:
			debug.FreeOSMemory()
		case <-every.C:
		}
		if !c.off {
			c.set(percentFor(liveMemory()))
		}
	}
}

// set sets the pace, unless it is about what it was: that stops the process for a moment.
func (c *collector) set(percent int) {
	if percent > c.percent*9/10 && percent < c.percent*11/10 {
		return
	}
	debug.SetGCPercent(percent)
	c.percent = percent
}

// percentFor is the pace for so much live memory.
func percentFor(live uint64) int {
	return int(min(mostPercent, max(leastPercent, 100*spareRoom/max(1, live))))
}

// liveMemory is what the last collection has found to be in use.
func liveMemory() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return spareRoom
	}
	return sample[0].Value.Uint64()
}
