package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"
)

// start measures the first interval of sonde's life, at each load.
func (b *bench) start(ctx context.Context) error {
	if b.sondeOf(1) == nil {
		return nil
	}
	for _, l := range b.loads {
		r, err := b.compare(ctx, fmt.Sprintf("start %s", l), b.roundsOf(l), []contender{b.sondeOf(1)}, func(c contender) (*sample, error) {
			st, err := b.set(ctx, c, l, fresh, false)
			if err != nil {
				return nil, err
			}
			defer st.strike()
			return st.measure(ctx, l.interval+time.Second)
		})
		if err != nil {
			return err
		}
		b.print(&table{
			title: fmt.Sprintf("sonde starts: %d endpoints every %s, fresh connections, the first %s", l.targets, l.interval, l.interval+time.Second),
			head:  r.head(), notes: r.notes(nil),
			rows: r.rowsOf(startRows, costRows, punctualRows, truthRows),
		})
		b.figures = append(b.figures, startFigures(r, l)...)
	}
	return nil
}

// reload measures a window in which one probe changes, and then one in a hundred.
func (b *bench) reload(ctx context.Context) error {
	if b.sondeOf(1) == nil {
		return nil
	}
	for _, l := range b.loads {
		var one, many []number
		r, err := b.compare(ctx, fmt.Sprintf("reload %s", l), b.roundsOf(l), []contender{b.sondeOf(1)}, func(c contender) (*sample, error) {
			s, took, err := b.reloadSample(ctx, c, l)
			one, many = append(one, took[0]), append(many, took[1])
			return s, err
		})
		if err != nil {
			return err
		}
		t := &table{
			title: fmt.Sprintf("sonde reloads: %d endpoints every %s, fresh connections", l.targets, l.interval),
			head:  r.head(), notes: r.notes(nil),
		}
		t.rows = appendUnlessEmpty(t.rows, []string{"reload of one changed probe, s", cell(one, 1, "%.2f")})
		t.rows = appendUnlessEmpty(t.rows, []string{"reload of 1 % changed, s", cell(many, 1, "%.2f")})
		t.rows = append(t.rows, r.rowsOf(paceRows, costRows, punctualRows, truthRows)...)
		b.print(t)
		b.figures = append(b.figures, reloadFigures(r, l, one)...)
	}
	return nil
}

// reloadSample measures a window in which sonde is told to reload twice, and how long each took.
func (b *bench) reloadSample(ctx context.Context, c contender, l load) (*sample, [2]number, error) {
	took := [2]number{nothing, nothing}
	st, err := b.set(ctx, c, l, fresh, false)
	if err != nil {
		return nil, took, err
	}
	defer st.strike()
	if err := b.warm(ctx, l); err != nil {
		return nil, took, err
	}
	r, reloaded := st.running.(*sondeRunning), make(chan error, 1)
	go func() {
		var err error
		for i, changed := range []int{1, max(1, l.targets/100)} {
			if err = pause(ctx, time.Second); err == nil {
				took[i], err = r.reload(ctx, changed)
			}
			if err != nil {
				break
			}
		}
		reloaded <- err
	}()
	s, err := st.measure(ctx, max(b.window(l), 5*time.Second))
	if failed := <-reloaded; failed != nil {
		return nil, took, failed
	}
	return s, took, err
}

// reload writes the file with so many changed probes, and has sonde read it.
func (r *sondeRunning) reload(ctx context.Context, changed int) (number, error) {
	if err := r.write(changed); err != nil {
		return nothing, err
	}
	begun := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/-/reload", nil)
	if err != nil {
		return nothing, err
	}
	response, err := direct.Do(request)
	if err != nil {
		return nothing, fmt.Errorf("reloading sonde: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil || response.StatusCode != http.StatusOK {
		return nothing, fmt.Errorf("reloading sonde: status %d, want 200: %s", response.StatusCode, text)
	}
	return number(time.Since(begun).Seconds()), nil
}

// overload measures the contenders on a machine that has twice as much to do as it can: as many other
// goroutines spin as twice its cores. The server goes before all, so that no target is slow.
func (b *bench) overload(ctx context.Context) error {
	l := load{5000, time.Second}
	if len(b.loads) == 1 {
		l = b.loads[0]
	}
	for _, p := range b.patterns {
		r, err := b.compare(ctx, fmt.Sprintf("overload %s %s", l, p), b.roundsOf(l), b.contenders, func(c contender) (*sample, error) {
			return b.overloadSample(ctx, c, l, p)
		})
		if err != nil {
			return err
		}
		b.print(&table{
			title: fmt.Sprintf("%d endpoints every %s, %s connections, beside %d busy threads on %d cores", l.targets, l.interval, p, busyThreads(), runtime.NumCPU()),
			head:  r.head(), notes: r.notes(b.absent),
			rows: r.rowsOf(paceRows, costRows, punctualRows, truthRows),
		})
		b.figures = append(b.figures, overloadFigures(r, l, p)...)
	}
	return nil
}

func busyThreads() int { return 2 * runtime.NumCPU() }

func (b *bench) overloadSample(ctx context.Context, c contender, l load, p pattern) (*sample, error) {
	st, err := b.set(ctx, c, l, p, true)
	if err != nil {
		return nil, err
	}
	defer st.strike()
	if err := b.warm(ctx, l); err != nil {
		return nil, err
	}
	others, err := startChild(ctx, "child-busy", setup{Busy: busyThreads()}, nil)
	if err != nil {
		return nil, err
	}
	defer others.stop()
	return st.measure(ctx, b.window(l))
}
