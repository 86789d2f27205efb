package metrics

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"sonde/probe"
)

// threeGroups is a recorder of two probes of a shop, one of a bank and one of no group.
func threeGroups() *Recorder {
	r := New(Build{})
	for name, group := range map[string]string{"cart": "shop", "home": "shop", "vault": "bank", "lone": ""} {
		r.Declare(&probe.Probe{Name: name, Group: group})
	}
	return r
}

// TestParts shows what a query selects, in every form.
func TestParts(t *testing.T) {
	protobuf := "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	for _, c := range []struct {
		query, probes string
		process       bool
	}{
		{"", "cart home lone vault", true},
		{"name[]=sonde_probe_info&name[]=sonde_build_info&name[]=go_goroutines&name[]=process_start_time_seconds", "cart home lone vault", true},
		{"probe=cart", "cart", false},
		{"probe=cart&probe=vault", "cart vault", false},
		{"probe=cart&probe=gone", "cart", false},
		{"group=shop", "cart home", false},
		{"group=shop&probe=home&probe=lone", "cart home lone", false},
		{"group=", "lone", false},
		{"group=bank&group=gone", "vault", false},
		{"process", "", true},
		{"process=&group=bank", "vault", true},
		{"process=1&probe=gone", "", true},
	} {
		for _, accept := range []string{"", acceptText, protobuf} {
			families := asked(t, c.query, accept)
			var names []string
			for _, m := range families["sonde_probe_info"].GetMetric() {
				names = append(names, probeOf(m))
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != c.probes {
				t.Errorf("%q as %q has the probes %q, want %q", c.query, accept, got, c.probes)
			}
			for _, name := range []string{"sonde_build_info", "go_goroutines", "process_start_time_seconds"} {
				if got := families[name] != nil; got != c.process {
					t.Errorf("%q as %q has %s: %v, want %v", c.query, accept, name, got, c.process)
				}
			}
		}
	}
}

// TestNothingToSelect holds what answers a query that selects nothing or cannot be read.
func TestNothingToSelect(t *testing.T) {
	for _, c := range []struct {
		query  string
		status int
		says   string
	}{
		{"probe=gone", http.StatusNotFound, `there is no probe of the name "gone"` + "\n"},
		{"probe=", http.StatusNotFound, `there is no probe of the name ""` + "\n"},
		{"group=b%0A%22&probe=a", http.StatusNotFound, `there is no probe of the group "b\n\"", the name "a"` + "\n"},
		{"porbe=home", http.StatusBadRequest, `the query has "porbe", want any of probe, group, process, name[]` + "\n"},
		{"probe=home&z&a%0A=1", http.StatusBadRequest, `the query has "a\n", want any of probe, group, process, name[]` + "\n"},
		{"group=%zz", http.StatusBadRequest, `reading the query "group=%zz": invalid URL escape "%zz"` + "\n"},
		{"probe=x&probe=y&group=1&group=2&group=3&group=4&group=5&group=6&group=7&group=8&group=9", http.StatusNotFound,
			`there is no probe of the group "1", the group "2", the group "3", the group "4", the group "5", the group "6", the group "7", the group "8", the group "9", the name "x", others` + "\n"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := httptest.NewRecorder()
			threeGroups().Handler().ServeHTTP(w, httptest.NewRequest(method, "/metrics?"+c.query, nil))
			if w.Code != c.status || w.Body.String() != c.says {
				t.Errorf("%s %q is answered %d %q, want %d %q", method, c.query, w.Code, w.Body, c.status, c.says)
			}
		}
	}
}

func asked(t *testing.T, query, accept string) map[string]*dto.MetricFamily {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/metrics?"+query, nil)
	request.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	threeGroups().Handler().ServeHTTP(w, request)
	if w.Code != http.StatusOK {
		t.Fatalf("%q is answered %d %q", query, w.Code, w.Body)
	}
	return parsed(t, w.Body, expfmt.ResponseFormat(w.Result().Header))
}
