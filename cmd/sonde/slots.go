package main

import (
	"context"
	"slices"
	"sync"
)

// slots bound how many runs of a batch make attempts at a time. A run that waits before another attempt leaves its
// slot to others, and comes back before any other begins, so that it waits for the end of one attempt at most, and
// what has begun ends soon.
type slots struct {
	mu   sync.Mutex
	free int             // below 0 while runs end that have not waited for theirs
	back []chan struct{} // those that come back, who came first at the front
	next chan struct{}   // who begins the next run; nil when nobody waits to
}

// Take is for a run that begins. One goroutine may wait at a time.
func (s *slots) Take() {
	s.mu.Lock()
	c := make(chan struct{})
	s.next = c
	s.handOut()
	s.mu.Unlock()
	<-c
}

// Leave gives a slot back.
func (s *slots) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.handOut()
}

// Return is for a run that comes back.
func (s *slots) Return(ctx context.Context) {
	s.mu.Lock()
	c := make(chan struct{})
	s.back = append(s.back, c)
	s.handOut()
	s.mu.Unlock()
	select {
	case <-c:
	case <-ctx.Done():
		s.giveUp(c)
	}
}

// giveUp takes a slot that may not be there: the run is about to leave it.
func (s *slots) giveUp(c chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.back, c); i >= 0 {
		s.back = slices.Delete(s.back, i, i+1)
		s.free--
	}
}

// handOut gives free slots to those that wait. s.mu is held.
func (s *slots) handOut() {
	for s.free > 0 {
		switch {
		case len(s.back) > 0:
			close(s.back[0])
			s.back = s.back[1:]
		case s.next != nil:
			close(s.next)
			s.next = nil
		default:
			return
		}
		s.free--
	}
}
