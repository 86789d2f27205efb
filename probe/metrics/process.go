package metrics

import (
	"strconv"
	"sync/atomic"
	"time"
)

// Build says which program this is, for sonde_build_info.
type Build struct {
	Version, Revision, GoVersion string
}

// process is the numbers that belong to no probe.
type process struct {
	build   Build
	config  atomic.Pointer[config]
	shard   atomic.Pointer[shard] // nil when the probes are not divided
	web     atomic.Pointer[bool]  // whether the last load of its file succeeded; nil when there is none
	lag     histogram
	lagging guard // of lag
	// dropped says how many lines of log were dropped; nil when nobody has told.
	dropped atomic.Pointer[func() uint64]
}

// config is what came of the loads of the file so far.
type config struct {
	ok     bool
	goodAt time.Time // zero before the first successful load
	hash   float64
}

// shard is which one of count this process is.
type shard struct{ index, count int }

// loaded is the state after one more load.
func (c *config) loaded(ok bool, at time.Time, hash string) *config {
	if ok {
		return &config{ok: true, goodAt: at, hash: hashNumber(hash)}
	}
	if c == nil {
		return &config{}
	}
	return &config{goodAt: c.goodAt, hash: c.hash}
}

// hashNumber is the first 48 bits of a hash in hex, which a float64 holds exactly; 0 of what is not hex.
func hashNumber(hash string) float64 {
	n, err := strconv.ParseUint(hash[:min(12, len(hash))], 16, 64)
	if err != nil {
		return 0
	}
	return float64(n)
}

func (p *process) observeLag(d time.Duration) {
	p.lagging.begin()
	defer p.lagging.end()
	p.lag.observe(d, lagBounds, bothSides)
}

// processSnapshot is a copy of the numbers that belong to no probe.
type processSnapshot struct {
	build  Build
	config *config // nil before the first load
	shard  *shard
	web    *bool
	lag    distribution
	// dropped is how many lines of log were.
	dropped uint64
}

func (p *process) read() *processSnapshot {
	s := &processSnapshot{build: p.build, config: p.config.Load(), shard: p.shard.Load(), web: p.web.Load()}
	if dropped := p.dropped.Load(); dropped != nil {
		s.dropped = (*dropped)()
	}
	p.lagging.read(func() { p.lag.read(&s.lag, bothSides, true) })
	return s
}

var processFamilies = []Family{
	{Name: "sonde_scheduler_lag_seconds", Type: Histogram, Since: onStart, Bounds: lagBounds,
		readProcess: func(p *processSnapshot, out values) { out.histogram(&p.lag) },
		Help:        "By how much runs started after they were due"},
	{Name: "sonde_config_last_reload_successful", Type: Gauge, Since: onLoad, readProcess: reloadOK,
		Help: "1 when the last load of the configuration succeeded, else 0"},
	{Name: "sonde_config_last_reload_success_timestamp_seconds", Type: Gauge, Since: onGoodLoad, readProcess: reloadTime,
		Help: "When the configuration was last loaded successfully, in seconds since 1970"},
	{Name: "sonde_config_hash", Type: Gauge, Since: onGoodLoad, readProcess: configHash,
		Help: "First 48 bits of a hash of the text of the files in use, as a number: the same on two instances that read the same files, and another after a comment has changed"},
	{Name: "sonde_web_config_last_reload_successful", Type: Gauge, Since: onWeb, readProcess: webReloadOK,
		Help: "1 when the last load of the file of TLS and passwords succeeded, else 0: then the one before holds"},
	{Name: "sonde_shards", Type: Gauge, Since: onShard, Labels: []string{"shard"}, readProcess: shards,
		Help: "How many shards the probes are divided into, by which of them this process is, counted from 0"},
	{Name: "sonde_log_lines_dropped_total", Type: Counter, Since: onStart,
		readProcess: func(p *processSnapshot, out values) { out.value(float64(p.dropped)) },
		Help:        "Lines of log that were dropped, since standard error did not take them and probing waits for no reader of its log"},
	{Name: "sonde_build_info", Type: Gauge, Since: onStart, Labels: []string{"version", "revision", "goversion"}, readProcess: buildInfo,
		Help: "Which program this is; always 1"},
}

func reloadOK(p *processSnapshot, out values) {
	switch {
	case p.config == nil:
	case p.config.ok:
		out.value(1)
	default:
		out.value(0)
	}
}

func webReloadOK(p *processSnapshot, out values) {
	switch {
	case p.web == nil:
	case *p.web:
		out.value(1)
	default:
		out.value(0)
	}
}

func reloadTime(p *processSnapshot, out values) {
	if c := p.config; c != nil && !c.goodAt.IsZero() {
		instant(c.goodAt.UnixNano(), out)
	}
}

func configHash(p *processSnapshot, out values) {
	if c := p.config; c != nil && !c.goodAt.IsZero() {
		out.value(c.hash)
	}
}

func shards(p *processSnapshot, out values) {
	if p.shard != nil {
		out.value(float64(p.shard.count), strconv.Itoa(p.shard.index))
	}
}

func buildInfo(p *processSnapshot, out values) {
	out.value(1, p.build.Version, p.build.Revision, p.build.GoVersion)
}
