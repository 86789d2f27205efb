package kinds_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/kinds"
	"sonde/probe/metrics"
	"sonde/probe/retry"
)

// held is how many goroutines may be there for each run that waits for its answer, its own included, which is the
// one that the scheduler, or a batch, has made for it. On HTTP/1 there is no other. The rest are those of an HTTP/2
// connection or stream, which the HTTP client needs: one that reads a connection and one for each request. Nothing
// of ours adds to them: limits are timers, the watch is one for all.
var held = map[string]int{"1.1": 1, "h2c": 1 + 2}

// few is how many goroutines may be there however many runs there are: the runtime has some of its own, which come
// and go.
const few = 10

// TestManyRuns has ten thousand runs wait for an answer at a time, each on a connection of its own, and counts the
// goroutines then and afterwards. It must not be parallel: it counts all there are.
func TestManyRuns(t *testing.T) {
	for version, most := range held {
		t.Run(version, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { countGoroutines(t, version, most) }) })
	}
}

func countGoroutines(t *testing.T, version string, most int) {
	before := runtime.NumGoroutine()
	servers := &silentServers{}
	network := conn.New(conn.Options{Dial: servers.dial})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	sinks := probe.Sinks{metrics.New(metrics.Build{})}
	engine := &retry.Engine{}
	verdicts := make(chan probe.Verdict, manyRuns)
	for i := range manyRuns {
		p := oneOfMany(t, network, version, i)
		sinks.Declare(p)
		go func() { verdicts <- p.Run(ctx, engine, sinks).Verdict }()
	}
	synctest.Wait()
	now := runtime.NumGoroutine() - before
	t.Logf("HTTP %s: %d goroutines for %d runs, %.2f a run; %d a run may be", version, now, manyRuns, float64(now)/manyRuns, most)
	if now > most*manyRuns+few {
		t.Errorf("%d runs hold %d goroutines, want %d a run at most, and %d besides", manyRuns, now, most, few)
	}
	if len(servers.ends) != manyRuns || len(verdicts) > 0 {
		t.Errorf("%d connections, and %d runs have ended; want %d and none", len(servers.ends), len(verdicts), manyRuns)
	}
	servers.answer(t, version)
	synctest.Wait()
	for i := range manyRuns {
		if v := <-verdicts; v != probe.Up {
			t.Fatalf("run %d ended %s, want up", i, v)
		}
	}
	network.Close()
	synctest.Wait()
	noneLeft(t, before)
}

// noneLeft holds that the goroutines have ended that were not there before. One that has done its last work counts
// until the runtime has put it away, of which no bubble knows: so those that are ending are given some turns.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	left := 0
	for range 100_000 {
		if left = runtime.NumGoroutine() - before; left <= few {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines are left, want none but those of the runtime", left)
}

// TestManyRunsCanceled ends ten thousand runs in their wait for an answer: none holds on.
func TestManyRunsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		servers := &silentServers{}
		network := conn.New(conn.Options{Dial: servers.dial})
		ctx, cancel := context.WithCancelCause(t.Context())
		verdicts := make(chan probe.Verdict, manyRuns)
		for i := range manyRuns {
			p := oneOfMany(t, network, "1.1", i)
			go func() { verdicts <- p.Run(ctx, &retry.Engine{}, probe.Sinks{}).Verdict }()
		}
		synctest.Wait()
		cancel(errors.New("shutting down"))
		synctest.Wait()
		for range manyRuns {
			if v := <-verdicts; v != probe.Unknown {
				t.Fatalf("a canceled run ended %s, want unknown", v)
			}
		}
		network.Close()
		synctest.Wait()
		noneLeft(t, before)
	})
}

// oneOfMany is a probe of a host of its own.
func oneOfMany(t *testing.T, network *conn.Network, version string, i int) *probe.Probe {
	s := &kinds.HTTP{}
	for _, k := range kinds.All(network, "1.2.3") {
		if k.Name == "http" {
			s = k.New().(*kinds.HTTP)
		}
	}
	s.URL, s.Version = fmt.Sprintf("http://10.%d.%d.%d/", 1+i>>16, i>>8&0xff, i&0xff), kinds.HTTPVersion(version)
	env := probe.Env{Probe: fmt.Sprint("p", i), Interval: 10 * time.Second, Limits: standard().limits, Connection: standard().connection}
	prober, err := s.Prober(env)
	if err != nil {
		t.Fatal(err)
	}
	policy := standard().policy
	policy.Deadline = 9 * time.Second
	return &probe.Probe{Name: env.Probe, Kind: "http", Target: s.Target(), Host: s.Host(), Interval: env.Interval, Policy: policy, Prober: prober}
}

// silentServers take connections, and have no goroutine for them, so that all that are counted are the prober's.
type silentServers struct {
	mu   sync.Mutex
	ends []*memnet.Conn
}

func (s *silentServers) dial(_ context.Context, _, address string) (net.Conn, error) {
	client, server := memnet.Pipe("10.0.0.1:1", address)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, server)
	return client, nil
}

// answer answers the one request of each connection.
func (s *silentServers) answer(t *testing.T, version string) {
	text := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	if version == "h2c" {
		var b, block bytes.Buffer
		hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
		f := http2.NewFramer(&b, nil)
		if err := errors.Join(f.WriteSettings(), f.WriteHeaders(http2.HeadersFrameParam{
			StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true,
		})); err != nil {
			t.Fatal(err)
		}
		text = b.String()
	}
	for _, c := range s.ends {
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
	}
}
