package probe

// Seat takes what came of the runs of one probe, as the methods of Sink do that are called so. They are
// called by one goroutine at a time.
type Seat interface {
	AttemptDone(p *Probe, a *Attempt)
	RunDone(r *Result)
}

// Seated is a Sink that keeps something for each probe. Who has many runs of one to tell of asks for its
// seat once, after Declare, and tells that, until Forget: then nothing is looked up for a run.
type Seated interface {
	Sink
	// Seat is that of a declared probe; of another it is one that may do nothing.
	Seat(p *Probe) Seat
}

// SeatOf is a probe's seat with a sink, which is the sink itself when it has none for each.
func SeatOf(s Sink, p *Probe) Seat {
	if seated, ok := s.(Seated); ok {
		return seated.Seat(p)
	}
	return s
}

// Seat is a probe's with each of the members.
func (s Sinks) Seat(p *Probe) Seat {
	if len(s) == 1 {
		return SeatOf(s[0], p)
	}
	list := make(seats, len(s))
	for i, sink := range s {
		list[i] = SeatOf(sink, p)
	}
	return list
}

// seats hands on to each in turn.
type seats []Seat

// AttemptDone hands on.
func (s seats) AttemptDone(p *Probe, a *Attempt) {
	for _, seat := range s {
		seat.AttemptDone(p, a)
	}
}

// RunDone hands on.
func (s seats) RunDone(r *Result) {
	for _, seat := range s {
		seat.RunDone(r)
	}
}
