package schema

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// common are the keys that a probe has beside its name and its kind block. They may stand
// in profiles and under defaults, too; what a probe sets beats those, field by field.
type common struct {
	// How often the probe runs. Its place within the interval is a hash of its name, so that probes
	// are spread evenly and a restart keeps them where they were.
	Interval period `yaml:"interval" example:"30s"`
	// The time limits of one attempt. While sonde itself gets no processor they stand still, or go at an eighth
	// of the pace of time at the least; late_seconds says by how much an attempt has so outlasted them.
	Timeout timeout `yaml:"timeout"`
	// The time limit of a whole run, its attempts and the waits between them. Left out, it is 0.9 of the
	// interval, so that a run ends before the next is due.
	Deadline limit `yaml:"deadline" example:"45s" preset:"0.9 × interval"`
	// Whether and when a failed attempt is followed by another.
	Retry retrying `yaml:"retry"`
	// How connections are kept between attempts and runs.
	Connection connection `yaml:"connection"`
	// A heading under which the probe is listed.
	Group string `yaml:"group" validate:"max=200" example:"shop"`
	// Labels that the probe's metrics bear beside the label probe. Those of defaults, profiles, the probe
	// and its target add up; of one name the last of these wins.
	Labels map[string]string `yaml:"labels"`
	// How many shards run the probe, where sonde run --shard divides the probes among processes. More than
	// there are means all.
	Replication int `yaml:"replication" validate:"min=1,max=1024" example:"2"`
	// Which series the probe has. What a file says of it for all its probes stands at its top level.
	Metrics metrics `yaml:"metrics"`
	// Whether the probe runs. A probe that does not is checked all the same.
	Enabled bool `yaml:"enabled"`
	// What the probe is for, for whoever reads the page.
	Description string `yaml:"description" validate:"max=2000" example:"The shop's front page, as a customer sees it."`
}

// timeout are the time limits of one attempt, as aiohttp has them. Each is a duration, or none.
type timeout struct {
	// From asking for a connection to the last byte of the answer.
	Total limit `yaml:"total" alone:"true"`
	// Until a connection is usable: the queue for one, DNS, TCP, TLS, a proxy. It does not run when an
	// idle connection is at hand.
	Connect limit `yaml:"connect"`
	// TCP and TLS of a new connection over all its addresses, without DNS. Through a proxy it is the way to the
	// proxy, and anew TLS with the target; what lies between, the proxy's answer, is connect's alone.
	SockConnect limit `yaml:"sock_connect"`
	// The longest silence: from the written request to the first byte of the answer, and from there
	// between any two reads.
	SockRead limit `yaml:"sock_read"`
}

// retrying says whether and when a failed attempt is followed by another.
type retrying struct {
	// How many attempts a run makes at most, the first included.
	Attempts int `yaml:"attempts" validate:"min=1,max=100" alone:"true"`
	// How long the waits between attempts are.
	Backoff backoff `yaml:"backoff"`
	// What becomes of a wait that the other side asks for, as by the header Retry-After. It is a floor:
	// the longer of backoff and what was asked is waited.
	RetryAfter retryAfter `yaml:"retry_after"`
	// When a request that is neither idempotent nor has an idempotency key may be sent again:
	// before_response if no byte of a response had come, before_send if the other side cannot have
	// processed it, or never.
	Unsafe string `yaml:"unsafe" validate:"oneof=before_response before_send never"`
	// How many attempts a run may repeat at once, uncharged, on a fresh connection, where a connection
	// library would do so unseen. They are counted and shown.
	Transparent int `yaml:"transparent" validate:"min=0,max=1"`
	// A bound on the retries to one host over all its probes, so that a sick host is not trampled. All
	// probes of a host have the same one, so it belongs under defaults. Left out or none, there is no bound.
	Budget budget `yaml:"budget"`
	// Reasons for which another attempt is worth it, whatever their default.
	Transient []reason `yaml:"transient"`
	// Reasons for which no other attempt is made, whatever their default.
	Permanent []reason `yaml:"permanent"`
}

// backoff is the wait between attempts. With b = min(cap, base·2^(n−1)) after the n-th attempt, and U
// drawn from [0, 1), it is b + U·jitter by default.
type backoff struct {
	// The formula: additive is b + U·jitter, full is U·b, equal is b/2 + U·b/2, decorrelated is
	// min(cap, base + U·(3·previous − base)).
	Kind string `yaml:"kind" validate:"oneof=additive full equal decorrelated"`
	// The wait after the first attempt, before jitter; 0s makes every wait jitter alone.
	Base pause `yaml:"base" alone:"true"`
	// The bound of the growth.
	Cap span `yaml:"cap"`
	// What chance adds at most. It serves the formula additive, and a wait that was asked for.
	Jitter pause `yaml:"jitter"`
	// Whether cap bounds the wait with its jitter. Without, jitter comes on top of cap.
	CapIncludesJitter bool `yaml:"cap_includes_jitter"`
}

// retryAfter says what becomes of a wait that the other side asks for.
type retryAfter struct {
	// The longest wait that is obeyed as it is.
	Max limit `yaml:"max"`
	// What becomes of a longer one: stop ends the run, clamp waits max, ignore waits the backoff alone.
	Above string `yaml:"above" validate:"oneof=stop clamp ignore"`
}

// budget is a token bucket of one host: a retry takes one token, and without one the run ends.
type budget struct {
	// What each run that begins adds.
	Ratio float64 `yaml:"ratio" validate:"min=0,max=100"`
	// What each second adds.
	FloorPerSecond float64 `yaml:"floor_per_second" validate:"min=0,max=1000000"`
	// What the bucket holds at most, and at first.
	Burst float64 `yaml:"burst" validate:"min=1,max=1000000"`

	set bool
}

// UnmarshalText takes none.
func (b *budget) UnmarshalText(text []byte) error {
	if string(text) != "none" {
		return errors.New("want none, or a mapping with keys of ratio, floor_per_second, burst")
	}
	b.set = false
	return nil
}

func (b *budget) given() { b.set = true }

// policy is the bound as the engine takes it.
func (b budget) policy() retry.Budget {
	if !b.set {
		return retry.Budget{}
	}
	return retry.Budget{Ratio: b.Ratio, FloorPerSecond: b.FloorPerSecond, Burst: b.Burst}
}

// connection says how connections are kept.
type connection struct {
	// Whether a connection is kept for the next attempt or run. Without, each attempt is on a fresh one.
	Reuse bool `yaml:"reuse"`
	// How long an idle connection is kept.
	IdleTimeout limit `yaml:"idle_timeout"`
	// How old a connection may grow before it is no longer used.
	MaxAge limit `yaml:"max_age"`
	// Whether the addresses of a name are kept for as long as its DNS answer says, 5 minutes at most, over all
	// probes that have this. Without, each new connection looks its name up, and the phase resolve is measured.
	DNSCache bool `yaml:"dns_cache"`
	// How many connections to one host may be open at a time. All probes of a host have the same; one that a
	// redirect leads to a host of http probes obeys theirs.
	PerHost count `yaml:"per_host" example:"4"`
}

// count is a whole number above 0, or none, which is 0.
type count int

// UnmarshalText takes a whole number above 0, or none.
func (c *count) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*c = 0
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 1_000_000 || !decimal.Match(text) {
		return errors.New("want a whole number of 1 or more, or none")
	}
	*c = count(n)
	return nil
}

// reason is a reason that a file may declare transient or permanent.
type reason probe.Reason

// UnmarshalText takes one of the reasons, but those of a run that was cut: after them nothing follows.
func (r *reason) UnmarshalText(text []byte) error {
	names := reasonNames()
	for _, name := range names {
		if name == string(text) {
			*r = reason(text)
			return nil
		}
	}
	hint := didYouMean(string(text), names)
	if hint == "" {
		hint = likeReason(string(text), names)
	}
	if probe.Reason(text).Known() {
		hint = "; after " + string(text) + " a run is over in any case"
	}
	return errors.New("want a reason such as status, connect_refused or limit_total" + hint)
}

// likeReason is the hint for a word that is near to no reason.
func likeReason(text string, names []string) string {
	if decimal.MatchString(text) {
		return "; status is for all of them, and which are worth another attempt stands under retryable_status"
	}
	var like []string
	for _, name := range names {
		if len(text) > 2 && strings.Contains(name, text) {
			like = append(like, name)
		}
	}
	if text == "timeout" {
		like = append(like, "limit_total", "limit_connect", "limit_sock_read")
	}
	if len(like) == 0 || len(like) > 8 {
		return "; sonde schema has them all"
	}
	return "; did you mean " + alternatives(like) + "?"
}

// reasonNames are the reasons that a file may declare transient or permanent.
func reasonNames() []string {
	var names []string
	for _, r := range probe.Reasons() {
		if r.Blame != probe.OfEnd {
			names = append(names, string(r.Reason))
		}
	}
	return names
}

// metrics says which series a probe has, each of which costs memory in Prometheus.
type metrics struct {
	// Which buckets the two histograms have: native ones, which Prometheus asks for with
	// scrape_native_histograms; classic ones; both; or off, and there are no histograms.
	Histograms string `yaml:"histograms" validate:"oneof=native classic both off" alone:"true"`
	// Whether failures and retries are counted by reason. Without, each of these counters is one series
	// a probe, without the labels reason and stop.
	Reasons bool `yaml:"reasons"`
	// Whether the probe has the gauges of its last run under blackbox_exporter's names, such as
	// probe_success.
	ProbeGauges bool `yaml:"probe_gauges"`
}

// choice is the same as a sink takes it.
func (m metrics) choice() probe.Metrics {
	choice := probe.Metrics{NoReasons: !m.Reasons, NoGauges: !m.ProbeGauges}
	if m.Histograms != "both" {
		choice.Histograms = probe.Histograms(m.Histograms)
	}
	return choice
}

// builtin are the values that hold where no file says otherwise.
func builtin() common {
	return common{
		Interval: period(time.Minute),
		Timeout: timeout{
			Total: limit(30 * time.Second), Connect: limit(5 * time.Second),
			SockConnect: limit(5 * time.Second), SockRead: limit(10 * time.Second),
		},
		Deadline: unset,
		Retry: retrying{
			Attempts:    4,
			Backoff:     backoff{Kind: "additive", Base: pause(500 * time.Millisecond), Cap: span(10 * time.Second), Jitter: pause(500 * time.Millisecond)},
			RetryAfter:  retryAfter{Max: limit(time.Minute), Above: "stop"},
			Unsafe:      "before_response",
			Transparent: 1,
			Budget:      budget{Ratio: 0.2, FloorPerSecond: 1, Burst: 10},
		},
		Connection:  connection{Reuse: true, IdleTimeout: limit(15 * time.Second), MaxAge: limit(5 * time.Minute)},
		Replication: 1,
		Metrics:     metrics{Histograms: "both", Reasons: true, ProbeGauges: true},
		Enabled:     true,
	}
}

// deadline is the limit of a run: what the file says, or 0.9 of the interval; 0 is none.
func (c *common) deadline() time.Duration {
	if c.Deadline != unset {
		return time.Duration(c.Deadline)
	}
	return time.Duration(c.Interval)/10*9 + time.Duration(c.Interval)%10*9/10
}
