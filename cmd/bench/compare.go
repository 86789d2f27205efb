package main

import (
	"context"
	"errors"
	"slices"
)

// results are the samples of each contender, in the order of the rounds. Where a round failed there is
// an error instead.
type results struct {
	names   []string
	samples map[string][]*sample // nil where there is an error
	errors  map[string]error     // the last of each
}

// compare has each contender measured in each round; the one that begins is another each time.
func (b *bench) compare(ctx context.Context, what string, contenders []contender, measure func(contender) (*sample, error)) (*results, error) {
	r := &results{samples: map[string][]*sample{}, errors: map[string]error{}}
	for _, c := range contenders {
		r.names = append(r.names, c.name())
	}
	for round := range b.rounds {
		turned := slices.Concat(contenders[round%len(contenders):], contenders[:round%len(contenders)])
		for _, c := range turned {
			if errors.As(r.errors[c.name()], new(errMachine)) {
				continue
			}
			say("%s, round %d of %d: %s", what, round+1, b.rounds, c.name())
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
