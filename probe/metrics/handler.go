package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves /metrics: this recorder, the Go runtime and the process. It answers in the text form,
// OpenMetrics or protobuf (the one that carries native histograms), compressed or not, as the request
// accepts. One bad series does not take the others away; it is counted in
// promhttp_metric_handler_errors_total. How many scrapes go on at a time is
// the caller's to bound.
func (r *Recorder) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(r, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		Registry: registry, ErrorHandling: promhttp.ContinueOnError, EnableOpenMetrics: true,
	})
}
