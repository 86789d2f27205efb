package dns_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/dns"
)

// zone answers lookups in a bubble: each takes a second, and is counted.
type zone struct {
	asked  int
	ended  int // by their askers
	answer func(asked int) (time.Duration, error)
}

func (z *zone) lookup(ctx context.Context, _ string) ([]net.IP, time.Duration, error) {
	z.asked++
	ttl, err := z.answer(z.asked)
	select {
	case <-time.After(time.Second):
		return []net.IP{net.IPv4(192, 0, 2, 1)}, ttl, err
	case <-ctx.Done():
		z.ended++
		return nil, 0, context.Cause(ctx)
	}
}

func holds(ttl time.Duration) func(int) (time.Duration, error) {
	return func(int) (time.Duration, error) { return ttl, nil }
}

// inZone runs f in a bubble with a resolver that asks the zone.
func inZone(t *testing.T, z *zone, f func(t *testing.T, r *dns.Resolver)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := dns.New(dns.Options{LookupTTL: z.lookup})
		defer r.Close()
		f(t, r)
	})
}

func TestKept(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer func(int) (time.Duration, error)
		pauses []time.Duration // before each lookup after the first
		asked  int
	}{
		{"while it holds", holds(time.Minute), []time.Duration{0, 30 * time.Second, 29 * time.Second}, 1},
		{"until it ends", holds(time.Minute), []time.Duration{time.Minute}, 2},
		{"not at all", holds(0), []time.Duration{0, 0}, 3},
		{"for five minutes at most", holds(time.Hour), []time.Duration{299 * time.Second, time.Second}, 2},
		{"no failure", func(n int) (time.Duration, error) {
			if n == 1 {
				return time.Minute, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
			}
			return time.Minute, nil
		}, []time.Duration{0, 0}, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			z := &zone{answer: row.answer}
			inZone(t, z, func(t *testing.T, r *dns.Resolver) {
				for i, pause := range append([]time.Duration{0}, row.pauses...) {
					time.Sleep(pause)
					before, began := z.asked, time.Now()
					ips, err := r.LookupKept(t.Context(), []string{"Host.example", "host.Example"}[i%2])
					if took, want := time.Since(began), time.Duration(z.asked-before)*time.Second; took != want {
						t.Errorf("lookup %d took %v, want %v", i, took, want)
					}
					if _, failed := row.answer(z.asked); z.asked != before && (err == nil) != (failed == nil) || err == nil && len(ips) != 1 {
						t.Errorf("lookup %d: %v, %v", i, ips, err)
					}
				}
				if z.asked != row.asked {
					t.Errorf("%d lookups, want %d", z.asked, row.asked)
				}
			})
		})
	}
}

// TestPlainLookupsAreNotKept has a lookup know nothing of answers that are kept for others.
func TestPlainLookupsAreNotKept(t *testing.T) {
	t.Parallel()
	asked := 0
	r := dns.New(dns.Options{Lookup: func(context.Context, string) ([]net.IP, error) {
		asked++
		return []net.IP{net.IPv4(192, 0, 2, 1)}, nil
	}})
	defer r.Close()
	for way, lookup := range ways { // nothing says for how long this holds
		for range 2 {
			if _, err := lookup(r, t.Context(), "host.example"); err != nil {
				t.Errorf("%s: %v", way, err)
			}
		}
	}
	if asked != 4 {
		t.Errorf("%d lookups, want 4", asked)
	}
}

// TestAskedOnce has many ask at a time; one goes away, and the others get the answer all the same.
func TestAskedOnce(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(t *testing.T, r *dns.Resolver) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(500*time.Millisecond, func() { cancel(gone) })
		results := make(chan error, 10)
		for i := range cap(results) {
			ctx := ctx
			if i > 0 {
				ctx = t.Context()
			}
			go func() {
				_, err := r.LookupKept(ctx, "host.example")
				results <- err
			}()
			synctest.Wait() // the first asks first
		}
		failed := 0
		for range cap(results) {
			if err := <-results; err != nil {
				failed++
				if err != gone {
					t.Errorf("got %v, want the cause of the asker's end", err)
				}
			}
		}
		if failed != 1 || z.asked != 1 || z.ended != 0 {
			t.Errorf("%d failed, %d lookups, of which %d were ended; want 1, 1 and 0", failed, z.asked, z.ended)
		}
	})
}

// TestNobodyWaits ends a lookup that nobody waits for; who asks next gets an answer of his own.
func TestNobodyWaits(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(t *testing.T, r *dns.Resolver) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { cancel(probe.ErrDeadline) })
		began := time.Now()
		if _, err := r.LookupKept(ctx, "host.example"); time.Since(began) != 300*time.Millisecond || err != probe.ErrDeadline {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if _, err := r.LookupKept(t.Context(), "host.example"); err != nil || z.asked != 2 || z.ended != 1 {
			t.Errorf("%v; %d lookups, of which %d were ended; want 2 and 1", err, z.asked, z.ended)
		}
	})
}

// TestClose sees that a lookup does not outlive its resolver.
func TestClose(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(t *testing.T, r *dns.Resolver) {
		if _, err := r.LookupKept(t.Context(), "kept.example"); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		go func() {
			_, err := r.LookupKept(t.Context(), "host.example")
			failed <- err
		}()
		synctest.Wait()
		r.Close()
		if z.ended != 1 {
			t.Errorf("%d lookups were ended by the time Close returned, want 1", z.ended)
		}
		if err := <-failed; err != dns.ErrClosed {
			t.Errorf("a lookup that went on: got %v, want ErrClosed", err)
		}
		if _, err := r.LookupKept(t.Context(), "host.example"); err != dns.ErrClosed || z.asked != 2 {
			t.Errorf("a later one: got %v, and %d lookups, want ErrClosed, and 2", err, z.asked)
		}
		if _, err := r.LookupKept(t.Context(), "kept.example"); err != nil {
			t.Errorf("one whose answer is at hand: %v", err)
		}
	})
}

// TestPanicOfALookup has all that wait for a name get the panic of its lookup, and Bug one for which nobody waits.
func TestPanicOfALookup(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]time.Duration{"awaited": time.Hour, "given up": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var strays []*probe.PanicError
				r := dns.New(dns.Options{
					LookupTTL: func(context.Context, string) ([]net.IP, time.Duration, error) {
						time.Sleep(time.Minute)
						panic("a bug")
					},
					Bug: func(p *probe.PanicError) { strays = append(strays, p) },
				})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(patience, cancel)
				failed := make(chan error, 2)
				for range cap(failed) {
					go func() {
						_, err := r.LookupKept(ctx, "host.example")
						failed <- err
					}()
				}
				told := 0
				for range cap(failed) {
					if errors.As(<-failed, new(*probe.PanicError)) {
						told++
					}
				}
				r.Close()
				if awaited := patience > time.Minute; awaited != (told == 2) || awaited != (len(strays) == 0) || told+len(strays) > 2 {
					t.Errorf("%d askers and %d times Bug were told", told, len(strays))
				}
			})
		})
	}
}
