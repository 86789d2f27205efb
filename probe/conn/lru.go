package conn

// lru is a list of idle connections, the longest idle first. A link is in it once at most.
type lru struct{ root link }

func (u *lru) init() { u.root.prev, u.root.next = &u.root, &u.root }

// first is the longest idle, nil when there is none.
func (u *lru) first() *link {
	if u.root.next == &u.root {
		return nil
	}
	return u.root.next
}

// push adds l as the last to have become idle.
func (u *lru) push(l *link) {
	u.remove(l)
	l.prev, l.next = u.root.prev, &u.root
	l.prev.next, l.next.prev = l, l
}

// remove takes l out; nothing happens when it is not in.
func (u *lru) remove(l *link) {
	if l.next == nil {
		return
	}
	l.prev.next, l.next.prev = l.next, l.prev
	l.prev, l.next = nil, nil
}
