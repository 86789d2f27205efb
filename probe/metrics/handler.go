package metrics

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
)

// handler serves /metrics.
type handler struct {
	recorder *Recorder
	others   []prometheus.Collector // client_golang's, and the errors
	registry *prometheus.Registry   // of those
	errors   *prometheus.CounterVec
	pen      sync.Mutex // of the one who renders
}

// Handler serves /metrics: this recorder, the Go runtime and the process. It answers in the text form,
// OpenMetrics or protobuf (the one that carries native histograms), compressed or not, as the request
// accepts. The text forms are rendered from the compact states as they are sent, in no more memory than
// a copy of the numbers, by one goroutine at a time over all requests; an answer that is not whole ends
// with the connection. Protobuf is client_golang's, and as large in memory as that makes it. How many
// scrapes go on at a time is the caller's to bound.
//
// The keys probe and group of the query, which may be repeated, ask for the series of these probes
// alone, and process for those of none; name[] asks for these families alone. Another key is answered with
// 400: a part that is mistyped would else be the whole. When there is no such probe the answer is 404, which
// says where it is when Elsewhere knows.
func (r *Recorder) Handler() http.Handler {
	h := &handler{recorder: r, registry: prometheus.NewRegistry(), errors: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "promhttp_metric_handler_errors_total",
		Help: "Total number of internal errors encountered by the promhttp metric handler.",
	}, []string{"cause"})}
	h.errors.WithLabelValues("gathering")
	h.errors.WithLabelValues("encoding")
	h.others = []prometheus.Collector{
		h.errors, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	}
	h.registry.MustRegister(h.others...)
	return h
}

// Streamed reports whether the handler sends its answer to a request as it renders it. Another one it
// makes as a whole.
func Streamed(r *http.Request) bool {
	_, streamed := formOf(negotiated(r))
	return streamed
}

// negotiated is the format that a request asks for.
func negotiated(r *http.Request) expfmt.Format {
	return expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
}

// formOf is the text form of a format. No name of ours needs escaping, so the schemes do not differ.
func formOf(f expfmt.Format) (of form, ok bool) {
	switch f.FormatType() {
	case expfmt.TypeTextPlain:
		return textForm, true
	case expfmt.TypeOpenMetrics:
		return openMetrics, true
	}
	return textForm, false
}

// ServeHTTP answers.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wanted, err := selected(r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !h.recorder.has(wanted) {
		http.Error(w, h.recorder.missing(wanted), http.StatusNotFound)
		return
	}
	format := negotiated(r)
	if form, ok := formOf(format); ok {
		h.serveText(w, r, wanted, format, form)
		return
	}
	promhttp.HandlerFor(h.gatherer(wanted), promhttp.HandlerOpts{
		Registry: h.registry, ErrorHandling: promhttp.ContinueOnError, EnableOpenMetrics: true,
	}).ServeHTTP(w, r)
}

// gatherer gathers what is wanted. One bad series does not take the others away; it is counted.
func (h *handler) gatherer(wanted *selection) prometheus.Gatherer {
	g := prometheus.NewRegistry()
	g.MustRegister(&collector{h.recorder, wanted})
	if wanted.takesProcess() {
		g.MustRegister(h.others...)
	}
	return g
}

// serveText answers in a text form.
func (h *handler) serveText(w http.ResponseWriter, r *http.Request, wanted *selection, format expfmt.Format, form form) {
	zipped := takesGzip(r.Header)
	w.Header().Set("Content-Type", string(format))
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	if zipped {
		w.Header().Set("Content-Encoding", "gzip")
	}
	if r.Method == http.MethodHead {
		return
	}
	limit := timeoutOf(r.Header)
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	// What does not know deadlines is no connection.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit))
	out := newOutlet(w, zipped)
	defer out.release()
	s := &answer{lines: lines{form: form}, ctx: ctx, pen: &h.pen, out: out, polite: time.Now().Add(limit / politeness)}
	s.encoder = expfmt.NewEncoder(&s.lines, format)
	if err := h.scrape(s, wanted); err != nil {
		h.errors.WithLabelValues("encoding").Inc()
		panic(http.ErrAbortHandler) // else what is there would pass for all there is
	}
}

// scrape copies all that is wanted, and writes it.
func (h *handler) scrape(s *answer, wanted *selection) error {
	if wanted.takesProcess() {
		var err error
		if s.others, err = h.registry.Gather(); err != nil {
			h.errors.WithLabelValues("gathering").Inc()
		}
		s.process = h.recorder.process.read()
	}
	s.pen.Lock()
	defer s.pen.Unlock()
	s.sheets = h.recorder.take(s.ctx, wanted)
	defer func() {
		for _, sheet := range s.sheets {
			sheet.release()
		}
	}()
	return s.write(wanted)
}

const (
	// longestTimeout is how long an answer may take at most, and when the request does not say how long is
	// waited for it.
	longestTimeout = 30 * time.Second
	// politeness is the part of that time during which others run first.
	politeness = 4
)

// timeoutOf is how long an answer may take, as Prometheus says in its requests.
func timeoutOf(header http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(header.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err != nil || !(seconds > 0) {
		return longestTimeout
	}
	return time.Duration(min(seconds, longestTimeout.Seconds()) * float64(time.Second))
}
