package kinds_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/kinds"
	"sonde/probe/metrics"
	"sonde/probe/retry"
)

// setup is all that a case may change: the standard policy S of the table, and the http settings.
type setup struct {
	http       *kinds.HTTP
	policy     retry.Policy
	limits     probe.Limits
	connection probe.Connection
	transient  map[probe.Reason]bool
	interval   time.Duration
	most       int       // connections in all
	end        time.Time // of the batch
	chance     func() float64
	scheme     string
	host       string
	lookup     func(ctx context.Context, host string) ([]net.IP, error)
}

// change is one change of a setup.
type change func(*setup)

// standard is policy S. The interval is short enough for connections to be kept between runs.
func standard() setup {
	return setup{
		policy: retry.Policy{
			Attempts:    4,
			Backoff:     retry.Backoff{Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond},
			RetryAfter:  retry.RetryAfter{Max: time.Minute},
			Transparent: 1,
		},
		limits:     probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second, SockConnect: 5 * time.Second, SockRead: 10 * time.Second},
		connection: probe.Connection{Reuse: true, IdleTimeout: 15 * time.Second, MaxAge: 5 * time.Minute},
		interval:   10 * time.Second,
		chance:     func() float64 { return 0.5 },
		scheme:     "http",
		host:       "192.0.2.1",
	}
}

// The places of the suite; port 80 or 443.
const (
	here  = "192.0.2.1"
	there = "192.0.2.2"
)

// What every probe of the suite carries, and nothing may show.
const (
	password = "pa55-word"
	token    = "t0ken-value"
)

// lab is where one case is played: a network, the sites on it, and what the sinks were told.
type lab struct {
	t      *testing.T
	row    *row
	setup  setup
	mem    *memnet.Net // nil on real sockets
	net    *conn.Network
	engine *retry.Engine
	ctx    context.Context // of the runs
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when the sites are to end

	recorder *metrics.Recorder
	ledger   *ledger
	sites    map[string]*site // by IP
	served   sync.WaitGroup
	tunnels  atomic.Int32 // connections that a proxy made
	kind     probe.Kind
	probes   []*probe.Probe
	// afterwards is called when the row has been judged: it waits for runs beside the one that counts.
	afterwards func()
	before     struct{ seen, accepted int } // what the sites saw on earlier pages
}

// newLab makes a lab for a row, over a network in memory unless mem is nil.
func newLab(t *testing.T, r *row, mem *memnet.Net) *lab {
	s := standard()
	s.http = new(kinds.HTTP) // replaced below; changes of the policy do not look at it
	l := &lab{t: t, row: r, mem: mem, sites: map[string]*site{}, recorder: metrics.New(metrics.Build{}), ledger: newLedger(), over: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	for _, c := range r.with {
		c(&s)
	}
	options := conn.Options{MaxConnections: s.most, Lookup: s.lookup}
	if mem != nil {
		options.Dial = mem.Dial
		if s.lookup == nil {
			options.Lookup = l.lookup
		}
		mem.Delay = l.dialing
	}
	l.net, l.setup = conn.New(options), s
	l.engine = &retry.Engine{Chance: s.chance, End: s.end}
	for _, k := range kinds.All(l.net, "1.2.3") {
		if k.Name == "http" {
			l.kind = k
		}
	}
	return l
}

// probe makes the row's probe, with further changes of its own.
func (l *lab) probe(name string, more ...change) *probe.Probe {
	l.t.Helper()
	s := standard()
	s.http = l.kind.New().(*kinds.HTTP)
	s.http.Version = kinds.HTTPVersion(l.row.version)
	for _, c := range append(append([]change(nil), l.row.with...), more...) {
		c(&s)
	}
	if s.http.URL == "" {
		s.http.URL = s.scheme + "://u5er:" + password + "@" + s.host + "/?token=" + token
	}
	env := probe.Env{Probe: name, Interval: s.interval, Limits: s.limits, Connection: s.connection}
	for _, f := range s.http.Check(env) {
		if !f.Warning {
			l.t.Fatalf("the settings are at fault: %s", f.Error())
		}
	}
	prober, err := s.http.Prober(env)
	if err != nil {
		l.t.Fatal(err)
	}
	p := &probe.Probe{
		Name: name, Kind: "http", Target: s.http.Target(), Host: s.http.Host(), Interval: s.interval,
		Policy: s.policy, Transient: s.transient, Prober: &watched{prober, l.ledger, name},
	}
	l.sinks().Declare(p)
	l.probes = append(l.probes, p)
	l.ledger.limits[name] = s.limits
	return p
}

func (l *lab) sinks() probe.Sinks { return probe.Sinks{l.recorder, l.ledger} }

// run makes one run.
func (l *lab) run(p *probe.Probe) *probe.Result { return p.Run(l.ctx, l.engine, l.sinks()) }

// site finds or makes the site at an IP; it listens on port 80, or 443 when the row's scheme is https.
func (l *lab) site(ip string, turns ...turn) *site {
	s := l.sites[ip]
	if s == nil {
		s = &site{lab: l, ip: ip, h2: l.row.version == "h2c", tls: l.row.tls}
		l.sites[ip] = s
	}
	s.turns = append(s.turns, turns...)
	return s
}

// open has every site listen in memory.
func (l *lab) open() {
	port := ":80"
	if l.setup.scheme == "https" {
		port = ":443"
	}
	for ip, s := range l.sites {
		s.listen(l.mem.Listen(ip + port))
	}
}

// lookup answers as the first site's turn says, or with the address of the first site.
func (l *lab) lookup(ctx context.Context, host string) ([]net.IP, error) {
	if s := l.sites[here]; s != nil {
		if t, ok := s.take(atLookup); ok {
			return nil, t.fail(ctx)
		}
	}
	return []net.IP{net.ParseIP(here)}, nil
}

// dialing lets a dial through, or not, as the site's turn says.
func (l *lab) dialing(ctx context.Context, address string) error {
	host, _, _ := strings.Cut(address, ":")
	if s := l.sites[host]; s != nil {
		if t, ok := s.take(atDial); ok {
			return t.fail(ctx)
		}
	}
	return nil
}

// close ends everything and waits until nothing of it runs any more.
func (l *lab) close() {
	l.net.Close()
	close(l.over)
	for _, s := range l.sites {
		s.close()
	}
	l.served.Wait()
	l.cancel(nil)
}
