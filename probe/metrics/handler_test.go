package metrics

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"sonde/probe"
)

// scrape asks the handler, and returns the families by name.
func scrape(t *testing.T, r *Recorder, header http.Header) (*http.Response, map[string]*dto.MetricFamily) {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	request.Header = header
	answer := httptest.NewRecorder()
	r.Handler().ServeHTTP(answer, request)
	response := answer.Result()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, want 200: %s", response.StatusCode, answer.Body)
	}
	var body io.Reader = response.Body
	if response.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = unzipped
	}
	return response, parsed(t, body, expfmt.ResponseFormat(response.Header))
}

func parsed(t *testing.T, body io.Reader, format expfmt.Format) map[string]*dto.MetricFamily {
	t.Helper()
	decoder := expfmt.NewDecoder(body, format)
	families := map[string]*dto.MetricFamily{}
	for {
		var f dto.MetricFamily
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return families
		}
		if err != nil {
			t.Fatal(err)
		}
		families[f.GetName()] = &f
	}
}

func TestHandlerText(t *testing.T) {
	response, families := scrape(t, full(t), http.Header{"Accept-Encoding": {"gzip"}})
	if response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("Content-Encoding is %q, want gzip", response.Header.Get("Content-Encoding"))
	}
	for _, f := range All() {
		if families[f.Name] == nil {
			t.Errorf("there is no %s", f.Name)
		}
	}
	for _, name := range []string{"go_goroutines", "process_start_time_seconds"} {
		if families[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestHandlerOpenMetrics(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	request.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	answer := httptest.NewRecorder()
	full(t).Handler().ServeHTTP(answer, request)
	if got := answer.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/openmetrics-text") {
		t.Errorf("Content-Type is %q, want OpenMetrics", got)
	}
	text := answer.Body.String()
	for _, want := range []string{
		"# TYPE sonde_runs counter\n", `sonde_runs_total{probe="page"} 2.0` + "\n",
		`sonde_attempt_duration_seconds_bucket{probe="page",le="+Inf"} 1` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if !strings.HasSuffix(text, "# EOF\n") {
		t.Error("the answer does not end with # EOF")
	}
}

// TestHandlerProtobuf holds that a scraper that asks for protobuf gets native and classic buckets.
func TestHandlerProtobuf(t *testing.T) {
	r := New(Build{})
	r.Declare(page())
	r.AttemptDone(page(), &probe.Attempt{Number: 1, OK: true, Duration: 20 * time.Millisecond})
	accept := "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	_, families := scrape(t, r, http.Header{"Accept": {accept}})
	h := families["sonde_attempt_duration_seconds"].GetMetric()[0].GetHistogram()
	if len(h.GetPositiveSpan()) != 1 || h.GetPositiveDelta()[0] != 1 || h.GetSchema() != firstSchema {
		t.Errorf("native buckets are %v, want one", h)
	}
	if len(h.GetBucket()) != len(attemptBounds) || h.GetBucket()[2].GetCumulativeCount() != 1 {
		t.Errorf("classic buckets are %v, want those of the table", h.GetBucket())
	}
	idle := families["sonde_run_duration_seconds"].GetMetric()[0].GetHistogram()
	if idle.GetZeroThreshold() == 0 {
		t.Error("a histogram without observations does not say that it is native")
	}
}
