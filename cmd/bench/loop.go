package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
)

// loop is the bare net/http loop, which everything else is compared with: a goroutine a target sleeps
// to its due time, GETs over http.Transport and reads the body. It has no limits, no retries and no
// metrics. Through a blackbox_exporter it asks that for /probe instead, as a Prometheus would that
// spreads its targets evenly.
type loop struct {
	setup
	transport *http.Transport
	buffers   sync.Pool     // for answers
	places    chan struct{} // how many requests may be under way; nil for any number

	// Since the mark.
	done, failed, missed atomic.Int64
	lags, durations      *histogram
}

// loopReport is what a loop has measured since the mark.
type loopReport struct {
	Done   int64 // answered
	Failed int64 // not answered, or answered that the target fails
	Missed int64 // due times that passed while a request was under way
	Lag    spread
	// Duration is of a request, its body read; of the blackbox_exporter, what it says of its probe.
	Duration spread
}

// blackboxPlaces is how many probes a blackbox_exporter is asked for at a time, so that one that does
// not keep up does not eat the machine.
const blackboxPlaces = 1000

func startLoop(s setup) (worker, error) {
	l := &loop{setup: s, lags: newHistogram(), durations: newHistogram()}
	l.buffers.New = func() any { return new(bytes.Buffer) }
	// One idle connection a target is what a target needs; to a blackbox_exporter all share them.
	l.transport = &http.Transport{DisableKeepAlives: s.Fresh, DisableCompression: true, MaxIdleConnsPerHost: 1}
	if s.Blackbox != "" {
		l.transport.DisableKeepAlives, l.transport.MaxIdleConnsPerHost = false, blackboxPlaces
		l.places = make(chan struct{}, blackboxPlaces)
	}
	for i := range s.Targets {
		r, err := l.request(i)
		if err != nil {
			return nil, err
		}
		go l.probe(targetName(i), r)
	}
	return l, nil
}

// request is what target i is asked, again and again.
func (l *loop) request(i int) (*http.Request, error) {
	target := targetURL(i, l.Port)
	if l.Blackbox == "" {
		return http.NewRequest(http.MethodGet, target, nil)
	}
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://%s/probe?module=http&target=%s", l.Blackbox, url.QueryEscape(target)), nil)
	if err != nil {
		return nil, err
	}
	// What Prometheus tells of its own limit; the exporter takes half a second off.
	limit := min(deadlineOf(l.Interval), 30*time.Second) + 500*time.Millisecond
	r.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", strconv.FormatFloat(limit.Seconds(), 'f', -1, 64))
	return r, nil
}

// deadlineOf is how long a probe may take: what sonde grants a run by default.
func deadlineOf(interval time.Duration) time.Duration { return interval * 9 / 10 }

// probe probes one target for ever.
func (l *loop) probe(name string, r *http.Request) {
	due := probe.FirstDue(name, l.Interval, time.Now())
	for {
		time.Sleep(time.Until(due))
		if l.places != nil {
			l.places <- struct{}{}
		}
		l.lags.record(time.Since(due))
		l.once(r)
		if l.places != nil {
			<-l.places
		}
		next := probe.NextDue(name, l.Interval, due)
		for now := time.Now(); next.Before(now); next = next.Add(l.Interval) {
			l.missed.Add(1)
		}
		due = next
	}
}

func (l *loop) once(r *http.Request) {
	begun := time.Now()
	response, err := l.transport.RoundTrip(r)
	if err != nil {
		l.failed.Add(1)
		return
	}
	defer response.Body.Close()
	if l.Blackbox != "" {
		l.judge(response)
		return
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		l.failed.Add(1)
		return
	}
	l.durations.record(time.Since(begun))
	l.done.Add(1)
}

// judge reads what a blackbox_exporter says of a target.
func (l *loop) judge(response *http.Response) {
	b := l.buffers.Get().(*bytes.Buffer)
	defer l.buffers.Put(b)
	b.Reset()
	_, err := b.ReadFrom(io.LimitReader(response.Body, 1<<20))
	if err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(b.Bytes(), []byte("\nprobe_success 1\n")) {
		l.failed.Add(1)
		return
	}
	l.done.Add(1)
	_, after, _ := bytes.Cut(b.Bytes(), []byte("\nprobe_duration_seconds "))
	value, _, _ := bytes.Cut(after, []byte("\n"))
	if seconds, err := strconv.ParseFloat(string(value), 64); err == nil {
		l.durations.record(time.Duration(seconds * float64(time.Second)))
	}
}

func (l *loop) ready() any { return struct{}{} }

func (l *loop) mark() {
	l.lags.reset()
	l.durations.reset()
	l.done.Store(0)
	l.failed.Store(0)
	l.missed.Store(0)
}

func (l *loop) report() any {
	return loopReport{
		Done: l.done.Load(), Failed: l.failed.Load(), Missed: l.missed.Load(),
		Lag: l.lags.read(), Duration: l.durations.read(),
	}
}
