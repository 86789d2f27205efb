package main

import "context"

// parts are the goroutines of a daemon, by what they do. They serve all probes, and a panic in one ends the process,
// which whoever minds it starts anew: without its scheduler, its reloads or its watch of files it would only look well.
// What is read of files is guarded by itself, and net/http recovers what answers a request.
type parts []part

type part struct {
	name  string
	ended chan struct{}
}

func (p *parts) start(name string, do func()) {
	ended := make(chan struct{})
	*p = append(*p, part{name, ended})
	go func() {
		defer close(ended)
		do()
	}()
}

// wait waits until all have ended, or ctx has, and names those that have not.
func (p parts) wait(ctx context.Context) (left []string) {
	for _, part := range p {
		select {
		case <-part.ended:
			continue
		case <-ctx.Done():
		}
		select {
		case <-part.ended:
		default:
			left = append(left, part.name)
		}
	}
	return left
}
