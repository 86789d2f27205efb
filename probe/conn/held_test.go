package conn

// InProgress is how many calls are in progress, and how many connections are open or being made.
func (n *Network) InProgress() (calls, connections int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watch.mu.Lock()
	defer n.watch.mu.Unlock()
	return n.watch.calls, n.total
}

// Kept is how many connections are in the account, and how many of them hold a call.
func (n *Network) Kept() (links, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		if l.call.Load() != nil {
			calls++
		}
	}
	return len(n.links), calls
}
