package schedule

import "time"

// bell ends the loop's sleep, at its time or when it is rung before.
type bell interface {
	// sleep returns after d, or soon when ring was called since the last one returned. It may also return
	// for nothing. Only the loop calls it.
	sleep(d time.Duration)
	// ring may be called from any goroutine, also after close.
	ring()
	close()
}

// timerBell is a bell of Go's timers, also those of a synctest bubble.
type timerBell struct {
	timer *time.Timer
	rung  chan struct{}
}

func newTimerBell() bell {
	return &timerBell{timer: time.NewTimer(0), rung: make(chan struct{}, 1)}
}

func (b *timerBell) sleep(d time.Duration) {
	b.timer.Reset(d)
	select {
	case <-b.rung:
	case <-b.timer.C:
	}
}

func (b *timerBell) ring() {
	select {
	case b.rung <- struct{}{}:
	default:
	}
}

func (b *timerBell) close() { b.timer.Stop() }
