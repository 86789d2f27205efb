package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// scraped is what matters here of sonde's metrics, summed over all probes.
type scraped struct {
	counters  map[string]number // by name
	reasons   map[string]number // of sonde_attempt_failures_total
	causes    map[string]number // of sonde_runs_skipped_total
	stops     map[string]number // of sonde_failures_total: reason and stop
	lag       []bucket          // of sonde_scheduler_lag_seconds, cumulative
	durations []number          // of each probe's last run
}

// bucket is a bucket of a classic histogram: how many were le at most.
type bucket struct{ le, count number }

// get asks for the metrics in the plain text form; the caller closes the body.
func (r *sondeRunning) get(ctx context.Context) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	response, err := direct.Do(request)
	if err != nil {
		return nil, fmt.Errorf("scraping sonde: %w: %s", err, r.program.words.String())
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("scraping sonde: status %d, want 200", response.StatusCode)
	}
	return response.Body, nil
}

// read scrapes and reads what comes.
func (r *sondeRunning) read(ctx context.Context) (*scraped, error) {
	body, err := r.get(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return parseMetrics(body)
}

// drain scrapes and says how many bytes came.
func (r *sondeRunning) drain(ctx context.Context) (int64, error) {
	body, err := r.get(ctx)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	n, err := io.Copy(io.Discard, body)
	if err != nil {
		return n, fmt.Errorf("scraping sonde, after %d bytes: %w", n, err)
	}
	return n, nil
}

// parseMetrics reads the text form line by line, since there may be millions.
func parseMetrics(from io.Reader) (*scraped, error) {
	s := &scraped{counters: map[string]number{}, reasons: map[string]number{}, causes: map[string]number{}, stops: map[string]number{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for lines.Scan() {
		name, labels, value, err := parseLine(lines.Text())
		if err != nil {
			return nil, err
		}
		s.take(name, labels, value)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	return s, nil
}

// parseLine cuts a line into name, labels and value; a comment has no name. The value follows the last
// brace, or blank: there are no timestamps.
func parseLine(line string) (name, labels string, value number, err error) {
	if line == "" || line[0] == '#' {
		return "", "", 0, nil
	}
	name, rest, _ := strings.Cut(line, " ")
	if open := strings.IndexByte(line, '{'); open >= 0 {
		end := strings.LastIndexByte(line, '}')
		if end < open {
			return "", "", 0, fmt.Errorf("metric %q has no closing brace", line)
		}
		name, labels, rest = line[:open], line[open+1:end], strings.TrimSpace(line[end+1:])
	}
	v, err := strconv.ParseFloat(rest, 64)
	if err != nil {
		return "", "", 0, fmt.Errorf("value of metric %q: %w", line, err)
	}
	return name, labels, number(v), nil
}

// label is the value of a label whose values need no escapes, or "".
func label(labels, name string) string {
	_, after, ok := strings.Cut(","+labels, ","+name+`="`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(after, `"`)
	return value
}

// countedNames are the counters that are summed.
var countedNames = []string{
	"sonde_runs_total", "sonde_run_failures_total", "sonde_runs_flaky_total", "sonde_runs_unknown_total",
	"sonde_attempts_total", "sonde_attempt_failures_total", "sonde_runs_skipped_total", "sonde_transparent_resends_total",
	"sonde_config_last_reload_successful",
}

func (s *scraped) take(name, labels string, value number) {
	switch name {
	case "sonde_scheduler_lag_seconds_bucket":
		le, err := strconv.ParseFloat(label(labels, "le"), 64)
		if err == nil {
			s.lag = append(s.lag, bucket{number(le), value})
		}
		return
	case "probe_duration_seconds":
		s.durations = append(s.durations, value)
		return
	case "sonde_attempt_failures_total":
		s.reasons[label(labels, "reason")] += value
	case "sonde_failures_total":
		s.stops[label(labels, "reason")+"/"+label(labels, "stop")] += value
	case "sonde_runs_skipped_total":
		s.causes[label(labels, "cause")] += value
	}
	if slices.Contains(countedNames, name) {
		s.counters[name] += value
	}
}

// into puts what was scraped into a sample.
func (s *scraped) into(to *sample) {
	to.lag = spreadOf(s.lag)
	to.duration = median(s.durations)
	to.failures = s.counters["sonde_attempt_failures_total"]
	to.down = s.counters["sonde_run_failures_total"]
	to.unknown = s.counters["sonde_runs_unknown_total"]
	to.skipped = s.counters["sonde_runs_skipped_total"]
	to.reasons = strings.TrimPrefix(counts("failed", s.reasons)+counts("down", s.stops)+counts("skipped", s.causes), "; ")
}

// counts names what is above zero, by name: "; what: a 1, b 2".
func counts(what string, of map[string]number) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f", name, of[name]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + what + ": " + strings.Join(parts, ", ")
}

// spreadOf reads quantiles from the buckets of a classic histogram, as histogram_quantile does. Max is
// the bound of the highest bucket that is not empty.
func spreadOf(buckets []bucket) spread {
	s := spread{P50: nothing, P99: nothing, Max: nothing}
	slices.SortFunc(buckets, func(a, b bucket) int { return int(math.Copysign(1, float64(a.le-b.le))) })
	if len(buckets) == 0 || buckets[len(buckets)-1].count == 0 {
		return s
	}
	all := buckets[len(buckets)-1].count
	s.N = uint64(all)
	s.P50, s.P99, s.Max = bucketQuantile(buckets, .5*all), bucketQuantile(buckets, .99*all), 0
	for _, b := range buckets {
		s.Max = b.le
		if b.count == all {
			break
		}
	}
	return s
}

// bucketQuantile is where the rank lies, evenly spread within its bucket. In the last, +Inf, it is the
// bound below.
func bucketQuantile(buckets []bucket, rank number) number {
	below := bucket{}
	for _, b := range buckets {
		if b.count >= rank {
			if math.IsInf(float64(b.le), 1) {
				return below.le
			}
			return below.le + (b.le-below.le)*(rank-below.count)/max(1, b.count-below.count)
		}
		below = b
	}
	return below.le
}
