package metrics

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/encoding/prototext"

	"sonde/probe"
)

// Accept headers of the two text forms.
const (
	acceptText = "text/plain;version=0.0.4"
	acceptOpen = "application/openmetrics-text;version=1.0.0"
)

// odd are numbers that are written in other ways than most.
var odd = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 0.1, 1e15, 1e15 - 1, 1e21, -1e300, 5e-324, math.MaxFloat64, 1234567, 1 << 53,
	math.Copysign(0, -1), 1.7956789012345678e9,
}

// hostile are texts that no line may be broken by.
var hostile = []string{
	"", "web", "a b", `"`, `\`, "\n", "\\n\"\n}", "\xff\xfe", "é\x00\u2028", "} 1\nsonde_runs_total 9", "{", ",", "=", strings.Repeat("x", 300),
}

// wild is a recorder of n probes with anything that can be in a state.
func wild(chance *rand.Rand, n int) *Recorder {
	r := New(Build{Version: pick(chance, hostile), Revision: pick(chance, hostile), GoVersion: "go"})
	for i := range n {
		p := diced(fmt.Sprintf("p%d%s", i, pick(chance, hostile)))
		p.Group, p.Target, p.Kind = pick(chance, hostile), pick(chance, hostile), pick(chance, []string{"http", "tcp", "tls"})
		p.Interval = time.Duration(chance.Int64N(int64(100 * time.Hour)))
		for range chance.IntN(4) {
			names := []string{"team", "zone", "reason", "stop", "version", "phase", "probe", "le", "", "no-name", "a", "__x", "é"}
			p.Labels = append(p.Labels, probe.Label{Name: pick(chance, names), Value: pick(chance, hostile)})
		}
		p.Metrics = probe.Metrics{
			Histograms: pick(chance, []probe.Histograms{"", "both", "native", "classic", "off"}),
			NoReasons:  chance.IntN(3) == 0, NoGauges: chance.IntN(3) == 0,
		}
		r.Declare(p)
		run(r, p, chance.IntN(5))
		r.Skipped(p, pick(chance, skips[:]), chance.IntN(3))
		distort(chance, r.state(p.Name))
	}
	r.Lag(time.Duration(chance.Int64N(1e10)))
	r.Reloaded(chance.IntN(2) == 0, time.Unix(0, chance.Int64()), "ff")
	return r
}

func pick[T any](chance *rand.Rand, list []T) T { return list[chance.IntN(len(list))] }

// distort puts odd numbers where runs could not put them.
func distort(chance *rand.Rand, s *state) {
	var sheet factSheet
	for f := range numFacts {
		if chance.IntN(2) == 0 {
			sheet.set(f, pick(chance, odd))
		}
	}
	sheet.tlsVersion = pick(chance, hostile)
	if chance.IntN(2) == 0 {
		s.note(&sheet)
	}
	if h := &s.runTime; len(h.buckets.entries()) > 0 {
		h.sum.Store(math.Float64bits(pick(chance, odd)))
	}
	s.frequent[runs].Store(pick(chance, []uint64{0, 1, 1e6, 123456789012345, 1 << 53}))
}

// answers are what our handler and client_golang's make of one request, unpacked.
func answers(t *testing.T, r *Recorder, query, accept, encoding string) (ours, library string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/metrics?"+query, nil)
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", encoding)
	h := r.Handler().(*handler)
	wanted, err := selected(query)
	if err != nil {
		t.Fatal(err)
	}
	theirs := promhttp.HandlerFor(h.gatherer(wanted), promhttp.HandlerOpts{ErrorHandling: promhttp.PanicOnError, EnableOpenMetrics: true})
	var texts, types []string
	for _, handler := range []http.Handler{h, theirs} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != encoding {
			t.Fatalf("status %d, encoding %q: %s", w.Code, w.Header().Get("Content-Encoding"), w.Body)
		}
		texts, types = append(texts, unzipped(t, w.Body, encoding)), append(types, w.Header().Get("Content-Type"))
	}
	if types[0] != types[1] {
		t.Errorf("Content-Type is %q, client_golang's is %q", types[0], types[1])
	}
	return texts[0], texts[1]
}

func unzipped(t *testing.T, body io.Reader, encoding string) string {
	t.Helper()
	if encoding == "gzip" {
		zip, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = zip
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTextEqualsTheLibrarys compares what we render with what client_golang's encoder makes of the same
// recorder, family by family and value by value, over all that can be in one.
func TestTextEqualsTheLibrarys(t *testing.T) {
	queries := []string{"", "", "process", "group=web", "group=&group=web", "probe=p0&process=", "name[]=sonde_runs_total&name[]=go_goroutines"}
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			chance := rand.New(rand.NewPCG(seed, 1))
			r := wild(chance, 1+chance.IntN(40))
			r.Declare(&probe.Probe{Name: "p0", Group: "web"})
			r.Declare(&probe.Probe{Name: "q"})
			query, encoding := pick(chance, queries), pick(chance, []string{"", "gzip"})
			ours, library := answers(t, r, query, acceptText, encoding)
			sameLines(t, library, ours)
			sameParsed(t, library, ours)
			for _, scheme := range []string{"", ";escaping=allow-utf-8", ";escaping=dots", ";escaping=values"} {
				ours, library = answers(t, r, query, acceptOpen+scheme, encoding)
				sameLines(t, library, ours)
			}
		})
	}
}

// sameParsed compares what expfmt reads in two texts.
func sameParsed(t *testing.T, library, ours string) {
	t.Helper()
	if diff := cmp.Diff(readings(t, library), readings(t, ours)); diff != "" {
		t.Errorf("what is read, -library +ours:\n%s", diff)
	}
}

// readings are the families that expfmt reads in a text, each with its series in an order of their own.
func readings(t *testing.T, text string) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	for name, f := range parsed(t, strings.NewReader(text), expfmt.NewFormat(expfmt.TypeTextPlain)) {
		list[name] = []string{f.GetType().String(), f.GetHelp()}
		for _, m := range f.Metric {
			m.Label = sorted(m.Label)
			if isOurs(name) {
				list[name] = append(list[name], fmt.Sprint(prototext.Format(m)))
			}
		}
		slices.Sort(list[name][2:])
	}
	return list
}

// isOurs is true of names of which a second scrape has the same values.
func isOurs(name string) bool {
	return strings.HasPrefix(name, "sonde_") || strings.HasPrefix(name, "probe_")
}

// sameLines compares two texts line by line: comments as they are, and of samples the names, the labels
// in any order, and the values as numbers.
func sameLines(t *testing.T, library, ours string) {
	t.Helper()
	if diff := cmp.Diff(sectionsOf(t, library), sectionsOf(t, ours)); diff != "" {
		t.Errorf("-library +ours:\n%s", diff)
	}
}

// section is a family's comments, and its samples in an order of their own.
type section struct {
	Comments []string
	Samples  []string
}

func sectionsOf(t *testing.T, text string) (list []section) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# HELP ") || line == "# EOF\n" {
			list = append(list, section{})
		}
		last := &list[len(list)-1]
		if line[0] == '#' {
			last.Comments = append(last.Comments, line)
		} else if isOurs(line) {
			last.Samples = append(last.Samples, sampleOf(t, line))
		}
	}
	for _, s := range list {
		slices.Sort(s.Samples)
	}
	return list
}

// sampleOf is a line in a form in which two of one meaning are the same.
func sampleOf(t *testing.T, line string) string {
	t.Helper()
	name, rest, braces := strings.Cut(strings.TrimSuffix(line, "\n"), "{")
	var labels []string
	for braces && rest[0] != '}' {
		label, after, _ := strings.Cut(strings.TrimPrefix(rest, ","), "=")
		end := 1
		for ; after[end] != '"'; end++ {
			if after[end] == '\\' {
				end++
			}
		}
		value := after[1:end]
		if n, err := strconv.ParseFloat(value, 64); label == "le" && err == nil {
			value = fmt.Sprint(n)
		}
		labels, rest = append(labels, label+"="+value), after[end+1:]
	}
	if !braces {
		name, rest, _ = strings.Cut(name, " ")
	}
	slices.Sort(labels)
	value, err := strconv.ParseFloat(strings.TrimLeft(rest, "} "), 64)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return fmt.Sprintf("%s %q %v", name, labels, value)
}

// FuzzLabels holds that no name and no value breaks the line or the family in which it stands.
func FuzzLabels(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, "team", text, "x\n"+text)
	}
	f.Fuzz(func(t *testing.T, name, label, value, target string) {
		r := New(Build{})
		r.Declare(&probe.Probe{Name: name, Target: target, Labels: []probe.Label{{Name: label, Value: value}, {Name: "last", Value: value}}})
		for _, accept := range []string{acceptText, acceptOpen} {
			ours, library := answers(t, r, "name[]=sonde_probe_info&name[]=sonde_run_duration_seconds", accept, "")
			sameLines(t, library, ours)
			if accept == acceptText {
				sameParsed(t, library, ours)
			}
		}
	})
}
