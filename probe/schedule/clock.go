package schedule

import "time"

// stepBack is by how much the wall clock must fall behind the monotonic one between two ticks to count
// as set back. Slewing stays far below it, and a smaller step delays a run by no more than itself.
const stepBack = 100 * time.Millisecond

// instant is a time on the wall clock, in nanoseconds since 1970. It has no monotonic part on purpose:
// due times follow the wall clock wherever it goes.
type instant int64

func (i instant) add(d time.Duration) instant { return i + instant(d) }
func (i instant) sub(j instant) time.Duration { return time.Duration(i - j) }

// ceil is the first multiple of a grid that is not before the instant; without a grid, the instant.
func (i instant) ceil(grid time.Duration) instant {
	if grid <= 0 {
		return i
	}
	if over := i % instant(grid); over > 0 {
		return i.add(grid).add(-time.Duration(over))
	}
	return i
}

func (i instant) time() time.Time { return time.Unix(0, int64(i)) }

// clock reads the wall clock and notices when it is set back.
type clock struct {
	// offset is added to the wall clock; nil in all but tests.
	offset func() time.Duration

	// The last reading of read, for the loop alone.
	wall instant
	mono time.Time
}

// now may be called from any goroutine.
func (c *clock) now() instant { return c.at(time.Now()) }

// read is now, and says whether the clock was set back since the last read. Only the loop calls it.
func (c *clock) read() (now instant, stepped bool) {
	mono := time.Now()
	now = c.at(mono)
	if !c.mono.IsZero() {
		stepped = mono.Sub(c.mono)-now.sub(c.wall) > stepBack
	}
	c.wall, c.mono = now, mono
	return now, stepped
}

func (c *clock) at(t time.Time) instant {
	wall := instant(t.UnixNano())
	if c.offset != nil {
		wall = wall.add(c.offset())
	}
	return wall
}
