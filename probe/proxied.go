package probe

// Proxied is Settings whose requests may go through a proxy. Who shows a run asks for it: to a record the
// proxy's address is the address that was used.
type Proxied interface {
	// Through is the host:port of the proxy of the first request, by what was known when the file was read;
	// empty is none. What was filled in stands in it.
	Through() string
}
