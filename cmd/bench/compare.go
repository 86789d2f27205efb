package main

import (
	"context"
	"errors"
	"slices"
	"time"
)

// results are the samples of each contender, in the order of the rounds. Where a round failed there is
// an error instead.
type results struct {
	names   []string
	samples map[string][]*sample // nil where there is an error
	errors  map[string]error     // the last of each
}

// roundsOf is how many rounds there are of a load: one where a round is a minute or longer, for it has as many
// probes in it as many rounds of the others.
func (b *bench) roundsOf(l load) int {
	if l.interval >= time.Minute {
		return 1
	}
	return b.rounds
}

// compare has each contender measured in each round; the one that begins is another each time.
func (b *bench) compare(ctx context.Context, what string, rounds int, contenders []contender, measure func(contender) (*sample, error)) (*results, error) {
	r := &results{samples: map[string][]*sample{}, errors: map[string]error{}}
	for _, c := range contenders {
		r.names = append(r.names, c.name())
	}
	for round := range rounds {
		turned := slices.Concat(contenders[round%len(contenders):], contenders[:round%len(contenders)])
		for _, c := range turned {
			if errors.As(r.errors[c.name()], new(errMachine)) {
				continue
			}
			say("%s, round %d of %d: %s", what, round+1, rounds, c.name())
			s, err := measure(c)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				say("%s: %v", c.name(), err)
				r.errors[c.name()] = err
			}
			r.samples[c.name()] = append(r.samples[c.name()], s)
		}
	}
	return r, nil
}
