package conn

import "sonde/probe"

// failedAt settles the phase of an exchange that has failed before its answer was complete. The connection's
// end may be heard of before it is noticed that the last write is done, that is, that the request went out
// whole.
func (c *Call) failedAt(whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); whole && c.phase == probe.PhaseWrite && !c.past(now) && !c.isCut() {
		c.writeOver(now)
	}
}

// stream is the exchange's stream on an HTTP/2 connection, nil before it began.
func (c *Call) stream() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.stream
}
