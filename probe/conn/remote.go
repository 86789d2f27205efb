package conn

// RemoteAddress is the address of the connection that the last exchange went over, host:port; empty when
// none was reached. After redirects End says only the last, so whoever keeps a record of each asks here.
func (c *Call) RemoteAddress() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.address
}
