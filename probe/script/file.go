// Package script plays what a test file says of an endpoint to the real engine and the real kind of a
// probe, in virtual time: an hour of backoff takes none. Its Network stands where package conn's stands
// otherwise. It has no sockets and no goroutines: it moves a clock through the phases of an attempt,
// finds by arithmetic which of the attempt's limits, the run's end and the script's next event comes
// first, and records what conn would have recorded. A test holds the two against each other.
//
// # The files, by subject
//
//   - The language: file.go, values.go and words.go (its values), check.go (its rules).
//   - A test: play.go runs it, compare.go holds what came of it against what was wanted.
//   - The network: network.go, clock.go (virtual time), call.go (an attempt); connect.go, proxy.go, exchange.go, body.go
//     and talk.go are what conn has under these names; fault.go is what goes wrong.
package script

import "sonde/probe"

// File is a test file.
type File struct {
	// The files or folders that declare the probes, one or several. Relative paths start at the folder of
	// this file.
	Probes Texts `yaml:"probes" validate:"required,min=1" example:"probes.yaml"`
	// What ${NAME} in the probes fills in, by its name. The variables of the machine are not looked at, so
	// that a test comes out the same everywhere.
	Env map[string]string `yaml:"env"`
	// What ${file:PATH} in the probes fills in, by its path, in place of what a file of the machine holds.
	// Relative paths start at the folder of this file.
	Files map[string]string `yaml:"files"`
	// The tests, each of one run of one probe.
	Tests []Test `yaml:"tests" validate:"required,min=1,dive"`
}

// Test is one run of one probe: what its endpoint does, and what the run must come to.
type Test struct {
	// What the test is called in reports.
	Name string `yaml:"name" validate:"required" example:"passes at the third attempt"`
	// The probe that runs.
	Probe string `yaml:"probe" validate:"required" example:"shop-home"`
	// The draw U of all jitter, from 0 to below 1; 0.5 unless given.
	Chance *float64 `yaml:"chance" validate:"omitempty,min=0,lt=1"`
	// A connection that an earlier run has left is at hand.
	Kept bool `yaml:"kept"`
	// What the endpoint does, one element an attempt, transparent ones included. The last is repeated for
	// as long as the run goes on. An element is one step, or, where the endpoint redirects, a list of
	// them, one a request; of these the last is repeated, too.
	Script []Steps `yaml:"script" validate:"required,min=1"`
	// What the run must come to. Only what is named here is compared.
	Want Want `yaml:"want"`
}

// Steps are what the endpoint does in one attempt: one step, or one for each request of redirects.
type Steps []Step

// OneOrMany lets one step stand for the list.
func (Steps) OneOrMany() {}

// Step is what the endpoint does with one request, or, of tcp, with one connection. An empty one answers
// 200 at once. Words such as not_found are the names of reasons without what stands before them.
type Step struct {
	// How long the endpoint takes: a duration is that until the first byte of the response.
	Delay Delays `yaml:"delay"`
	// The lookup of the name fails: not_found, temporary, timeout or server.
	DNS DNS `yaml:"dns"`
	// The connection fails: refused, unreachable or timeout, which is the kernel's own.
	Connect Connect `yaml:"connect"`
	// The status, 300 to 599, with which the proxy answers CONNECT; headers may go with it. Of http URLs, which
	// the proxy asks for itself, it is status that says what it answers. What else befalls the connection before
	// TLS is with the proxy, where the probe has one.
	Proxy int `yaml:"proxy" validate:"omitempty,min=300,max=599" example:"407"`
	// The TLS handshake fails: cert_expired, cert_hostname, cert_untrusted, cert_other, alert or not_tls.
	TLS TLS `yaml:"tls"`
	// Where nothing comes any more, until a limit or a deadline ends it: queue (for a connection of our
	// own), resolve, connect, proxy (before it answers CONNECT), tls, header (before its first byte), mid_header,
	// body, or talk.
	Hang Hang `yaml:"hang"`
	// Where the endpoint resets the connection: connect, proxy, tls, header (before its first byte), mid_header,
	// body, or talk.
	Reset Reset `yaml:"reset"`
	// Where the endpoint closes the connection: proxy, tls, header (before its first byte), mid_header, body, or
	// talk.
	Cut Cut `yaml:"cut"`
	// The request goes out on a kept connection, which the endpoint had closed by then.
	Stale bool `yaml:"stale"`
	// What HTTP/2 does instead of answering: refused, stream_reset or goaway.
	H2 H2 `yaml:"h2"`
	// What comes instead of an HTTP response, before the endpoint closes.
	NotHTTP string `yaml:"not_http" example:"SSH-2.0-OpenSSH_9.6"`
	// The status of the response, 200 unless given.
	Status int `yaml:"status" alone:"true"`
	// Headers of the response, by name. Content-Length is set by itself.
	Headers map[string]Texts `yaml:"headers"`
	// The body: a text, or pieces with pauses before them.
	Body Pieces `yaml:"body"`
	// The response does not say how long its body is, so that its end is that of the connection.
	Unannounced bool `yaml:"unannounced"`
	// Of tcp: what is said and heard, in order.
	Talk []Move `yaml:"talk"`
}

// Delays is how long the endpoint takes. Each starts when what stands before it is done.
type Delays struct {
	// The lookup of the name.
	Resolve Span `yaml:"resolve"`
	// The connection.
	Connect Span `yaml:"connect"`
	// The proxy's answer to CONNECT.
	Proxy Span `yaml:"proxy"`
	// The TLS handshake.
	TLS Span `yaml:"tls"`
	// From the request until the first byte of the response.
	Header Span `yaml:"header"`
}

// Piece is a part of a body.
type Piece struct {
	// The pause before it.
	Delay Span `yaml:"delay"`
	// What comes. A piece without it is a pause alone.
	Text string `yaml:"text"`
	// How often the text comes, once unless given; for bodies that are long.
	Repeat int `yaml:"repeat"`
}

// Move is one step of what a tcp endpoint says: hear or say, not both.
type Move struct {
	// Wait until this has come from the probe.
	Hear string `yaml:"hear"`
	// Send this, as it is written.
	Say string `yaml:"say"`
	// The pause before it is said.
	Delay Span `yaml:"delay"`
}

// Want is what a run must come to.
type Want struct {
	// up, flaky, down or unknown.
	Verdict *Verdict `yaml:"verdict" alone:"true"`
	// Why the run failed; "" of one that passed.
	Reason *Reason `yaml:"reason"`
	// Why the run ended.
	Stop *Stop `yaml:"stop"`
	// How many attempts were made, transparent ones not counted.
	Attempts *int `yaml:"attempts"`
	// How many transparent attempts were made.
	Transparent *int `yaml:"transparent"`
	// How many HTTP requests were sent, those of redirects and of transparent attempts included.
	Requests *int `yaml:"requests"`
	// The planned waits between attempts, in order.
	Waits []Span `yaml:"waits"`
	// How long the run lasted, its waits included.
	Duration *Span `yaml:"duration"`
	// A part of the text of the run's error.
	Error *string `yaml:"error"`
	// What each attempt must come to, transparent ones included, in order.
	Each []WantAttempt `yaml:"each"`
}

// WantAttempt is what one attempt must come to.
type WantAttempt struct {
	// Whether it passed.
	OK *bool `yaml:"ok"`
	// Why it failed; "" of one that passed.
	Reason *Reason `yaml:"reason"`
	// Whether another attempt was worth it.
	Transient *bool `yaml:"transient"`
	// How far it got.
	Evidence *Evidence `yaml:"evidence"`
	// Which limit ended it; "" when none did.
	Limit *Limit `yaml:"limit"`
	// Where it was when it failed.
	Phase *Phase `yaml:"phase"`
	// How long it lasted.
	Duration *Span `yaml:"duration"`
	// The planned wait after it.
	Wait *Span `yaml:"wait"`
	// Where that wait came from: backoff or retry_after; "" without one.
	WaitSource *Source `yaml:"wait_source"`
	// The status of its last response; 0 without one.
	Status *int `yaml:"status"`
	// How many redirects it followed.
	Hops *int `yaml:"hops"`
	// Whether it went out on a kept connection.
	Reused *bool `yaml:"reused"`
	// Whether it was a transparent one.
	Transparent *bool `yaml:"transparent"`
	// A part of the text of its error.
	Error *string `yaml:"error"`
}

var _ probe.OneOrMany = Steps{}
