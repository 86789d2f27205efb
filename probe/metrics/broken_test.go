package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sonde/probe"
)

// TestABrokenScrapeLeavesNothing has clients leave within an answer of some 14 MB, again and again.
func TestABrokenScrapeLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	r := New(Build{})
	for _, p := range names(2000) {
		r.Declare(p)
		r.RunDone(resultOf(p, passed(time.Millisecond)))
	}
	ended := make(chan any)
	handler := r.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer func() { ended <- recover() }()
		handler.ServeHTTP(w, req)
	}))
	defer server.Close()
	breakOff(t, server.URL, ended)
	before := heap()
	for range 8 {
		breakOff(t, server.URL, ended)
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("8 scrapes that were broken off have left %d bytes", after-before)
	}
	go func() { <-ended }()
	if text := fetched(t, server.URL); strings.Count(text, "sonde_runs_total{") != 2000 {
		t.Error("afterwards a scrape is not whole")
	}
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// breakOff reads the beginning of an answer and leaves; the handler must then end, and not as one that
// has answered.
func breakOff(t *testing.T, url string, ended <-chan any) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(response.Body, make([]byte, 1024)); err != nil {
		t.Fatal(err)
	}
	leave()
	response.Body.Close()
	if got := <-ended; got != http.ErrAbortHandler {
		t.Fatalf("the handler of a scrape that was broken off ended with %v", got)
	}
}

// TestAnAnswerThatIsNotWholeIsAnError also for who reads it: when its time is over the connection ends
// before the answer does.
func TestAnAnswerThatIsNotWholeIsAnError(t *testing.T) {
	r := New(Build{})
	for _, p := range names(200) {
		r.Declare(p)
	}
	server := httptest.NewServer(r.Handler())
	defer server.Close()
	request, err := http.NewRequest(http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", "0.000001")
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("an answer that was cut reads as a whole one")
	}
}

// cut is a response whose connection is gone after so many bytes.
type cut struct {
	*httptest.ResponseRecorder
	left int
}

func (f *cut) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("the connection is gone")
	}
	return f.ResponseRecorder.Write(p)
}

// TestAFailedScrapeIsCounted wherever the connection fails, and the next one is whole.
func TestAFailedScrapeIsCounted(t *testing.T) {
	r := New(Build{})
	for _, p := range names(50) {
		r.Declare(p)
	}
	h := r.Handler()
	for _, left := range []int{0, 10, 40_000, 100_000} {
		for _, encoding := range []string{"", "gzip"} {
			if encoding == "gzip" && left > 10 {
				continue
			}
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.Header.Set("Accept-Encoding", encoding)
			func() {
				defer func() {
					if got := recover(); got != http.ErrAbortHandler {
						t.Errorf("%d bytes of %q: the handler ended with %v", left, encoding, got)
					}
				}()
				h.ServeHTTP(&cut{httptest.NewRecorder(), left}, request)
			}()
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := `promhttp_metric_handler_errors_total{cause="encoding"} 6`; !strings.Contains(w.Body.String(), want+"\n") {
		t.Errorf("there is no %s", want)
	}
}

// halted is a response whose connection takes nothing until it is let.
type halted struct {
	*httptest.ResponseRecorder
	begun, let chan struct{}
}

func (h *halted) Write(p []byte) (int, error) {
	select {
	case h.begun <- struct{}{}:
	default:
	}
	<-h.let
	return h.ResponseRecorder.Write(p)
}

// TestASlowClientHoldsUpNobody wherever in its answer it stops.
func TestASlowClientHoldsUpNobody(t *testing.T) {
	r := New(Build{})
	for _, p := range names(50) {
		r.Declare(p)
	}
	h := r.Handler()
	for _, encoding := range []string{"", "gzip"} {
		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		request.Header.Set("Accept-Encoding", encoding)
		slow := &halted{httptest.NewRecorder(), make(chan struct{}, 1), make(chan struct{})}
		ended := make(chan struct{})
		go func() { defer close(ended); h.ServeHTTP(slow, request) }()
		<-slow.begun
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request)
		close(slow.let)
		<-ended
		if quick := w.Body.Len(); quick < 1000 || slow.Body.Len() < 1000 {
			t.Errorf("%q: the quick client has %d bytes, the slow one %d", encoding, quick, slow.Body.Len())
		}
	}
}

func TestTimeoutOf(t *testing.T) {
	for _, c := range []struct {
		seconds string
		want    time.Duration
	}{
		{"", longestTimeout}, {"5", 5 * time.Second}, {"0.25", 250 * time.Millisecond}, {"1e9", longestTimeout}, {"+Inf", longestTimeout},
		{"-1", longestTimeout}, {"0", longestTimeout}, {"NaN", longestTimeout}, {"soon", longestTimeout},
	} {
		if got := timeoutOf(http.Header{"X-Prometheus-Scrape-Timeout-Seconds": {c.seconds}}); got != c.want {
			t.Errorf("a timeout of %q is %v, want %v", c.seconds, got, c.want)
		}
	}
}

func TestTakesGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "deflate, gzip;q=1.0, *;q=0.5": true, "gzip;q=0": false, "identity": false, "*": true,
		"gzip;q=0.5, identity": false, "identity;q=0.5, GZIP": true, "br": false, "gzip; q=x": false, "*;q=0, gzip": true,
	} {
		if got := takesGzip(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q takes gzip: %v, want %v", accept, got, want)
		}
	}
}

// TestSeriesComeInOrder holds that two scrapes have the same order, that of the probes' names, also
// after probes have come and gone.
func TestSeriesComeInOrder(t *testing.T) {
	r := New(Build{})
	for _, name := range []string{"c", "a", "d", "b"} {
		r.Declare(&probe.Probe{Name: name})
	}
	check := func(want string) {
		t.Helper()
		got := ""
		for line := range strings.Lines(fetchedText(r)) {
			if rest, ok := strings.CutPrefix(line, `sonde_runs_total{probe="`); ok {
				got += rest[:1]
			}
		}
		if got != want {
			t.Errorf("probes come in the order %s, want %s", got, want)
		}
	}
	check("abcd")
	r.Forget(&probe.Probe{Name: "b"})
	check("acd")
	r.Declare(&probe.Probe{Name: "0"})
	check("0acd")
}

func fetchedText(r *Recorder) string {
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return fmt.Sprint(w.Body)
}
