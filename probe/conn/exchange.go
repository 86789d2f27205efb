package conn

import "time"

// exchange is what is known of one request and its answer.
type exchange struct {
	link      *link
	reused    bool
	unlooked  bool          // whether the connection is quiet has yet to be seen
	awaited   bool          // the queue was last for a connection that another call was making
	queued    bool          // there was a queue
	waits     *shortage     // what the call is in the queue for, nil while it is not
	waitsFrom time.Duration // since when
	queue     queued
	short     *shortage // what another address would have taken, nil while nothing was lacking
	written   int64
	writing   bool          // a write goes on beside the reading; what of it has gone out is not known
	wroteAt   time.Duration // when the last of it went out
	received  int64
	heardAt   time.Duration // when the last bytes of the answer came
	first     [5]byte       // the first bytes received
	header    bool          // the response header is complete
	upload    bool          // the request is not yet written
	reading   bool          // somebody waits for bytes
	raw       bool          // a protocol of the kind's, not HTTP
	left      bool          // the exchange is over, or nearly
	given     *sending      // to the HTTP/2 client, which sends it when it can; nil while it is not
	broken    bool          // the HTTP/2 client has given the connection up
	stream    *stream
}

// wrote notes that n bytes of the request have gone out by now.
func (x *exchange) wrote(n int, now time.Duration) {
	if n == 0 {
		return
	}
	x.written += int64(n)
	x.wroteAt = now
}
