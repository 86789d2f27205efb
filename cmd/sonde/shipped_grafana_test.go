package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sonde/probe"
	"sonde/probe/metrics"
)

// dashboard is what the tests look at in a dashboard of Grafana.
type dashboard struct {
	Panels      []panel
	Annotations struct{ List []panelTarget }
	Templating  struct {
		List []struct {
			Name, Type, Definition string
			Datasource             struct{ UID string }
		}
	}
}

type panel struct {
	ID          int
	Type, Title string
	Description string
	Datasource  struct{ UID string }
	GridPos     struct{ X, Y, W, H int }
	Targets     []panelTarget
}

// panelTarget is a query of a panel, or an annotation.
type panelTarget struct {
	RefID, Expr, LegendFormat string
	Datasource                struct{ UID string }
}

const dashboardFile = "examples/grafana/sonde.json"

func readDashboard(t *testing.T) *dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(readFile(t, dashboardFile)), &d); err != nil {
		t.Fatalf("%s: %v", dashboardFile, err)
	}
	return &d
}

// question is an expression of the dashboard.
type question struct{ where, expr, legend string }

// questions are all expressions of the dashboard, those of its annotations included.
func (d *dashboard) questions() (all []question) {
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			all = append(all, question{fmt.Sprintf("panel %d (%s) %s", p.ID, p.Title, q.RefID), q.Expr, q.LegendFormat})
		}
	}
	for _, a := range d.Annotations.List {
		if a.Expr != "" {
			all = append(all, question{"annotation", a.Expr, ""})
		}
	}
	return all
}

// filled is an expression as Grafana sends it when this probe is chosen, and all jobs and groups.
func (q question) filled(probe string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$__range", "1m", "$window", "1m",
		"$job", ".+", "$group", ".*", "$probe", probe).Replace(q.expr)
}

// TestDashboardLayout holds what Grafana would show crookedly, or one panel in the place of another.
func TestDashboardLayout(t *testing.T) {
	t.Parallel()
	ids, cells := map[int]string{}, map[[2]int]string{}
	for _, p := range readDashboard(t).Panels {
		if other, taken := ids[p.ID]; taken || p.ID == 0 {
			t.Errorf("panel %q has id %d, want one of its own; %q has it", p.Title, p.ID, other)
		}
		ids[p.ID] = p.Title
		if g := p.GridPos; g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
			t.Errorf("panel %q is at %+v, want it within 24 columns", p.Title, g)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, taken := cells[cell]; taken {
					t.Fatalf("panel %q lies upon %q at %v", p.Title, other, cell)
				}
				cells[cell] = p.Title
			}
		}
	}
}

// TestDashboardPanelsAsk holds that each panel asks something, of the data source that was chosen.
func TestDashboardPanelsAsk(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, p := range readDashboard(t).Panels {
		if p.Type == "row" {
			rows++
			continue
		}
		if p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d has title %q and %d queries, want both", p.ID, p.Title, len(p.Targets))
		}
		refs := map[string]bool{}
		for _, q := range p.Targets {
			if refs[q.RefID] || q.RefID == "" || q.Expr == "" {
				t.Errorf("panel %q has the query %q: %q, want a name of its own and an expression", p.Title, q.RefID, q.Expr)
			}
			refs[q.RefID] = true
			if p.Datasource.UID != "${datasource}" || q.Datasource.UID != "${datasource}" {
				t.Errorf("panel %q asks %q and %q, want ${datasource}", p.Title, p.Datasource.UID, q.Datasource.UID)
			}
		}
	}
	if rows != 3 {
		t.Errorf("the dashboard has %d rows, want 3: all probes, one probe, sonde itself", rows)
	}
}

// TestDashboardVariables holds that what is filled in is declared, and that what is declared is used.
func TestDashboardVariables(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	d := readDashboard(t)
	for _, v := range d.Templating.List {
		declared[v.Name] = false
		if v.Type == "query" && v.Datasource.UID != "${datasource}" {
			t.Errorf("the variable %s asks %q, want ${datasource}", v.Name, v.Datasource.UID)
		}
	}
	for _, a := range d.Annotations.List {
		if a.Expr != "" && a.Datasource.UID != "${datasource}" {
			t.Errorf("an annotation asks %q, want ${datasource}", a.Datasource.UID)
		}
	}
	for _, m := range regexp.MustCompile(`\$\{?([a-z]\w*)`).FindAllStringSubmatch(readFile(t, dashboardFile), -1) {
		if _, ok := declared[m[1]]; !ok {
			t.Errorf("the dashboard uses $%s, which it does not declare", m[1])
		}
		declared[m[1]] = true
	}
	for _, name := range []string{"datasource", "job", "group", "probe", "window"} {
		if !declared[name] {
			t.Errorf("the variable %s is not declared, or is not used", name)
		}
	}
}

// TestDashboardKnowsTheMetrics holds that it asks only for series and labels that sonde exports.
func TestDashboardKnowsTheMetrics(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	process := processMetrics(t)
	all := d.questions()
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			all = append(all, question{"variable " + v.Name, labelValuesCall.ReplaceAllString(v.Definition, "sum by ($2) ($1)"), ""})
		}
	}
	for _, q := range all {
		knownMetrics(t, q.where, q.expr)
		q.knownSelectors(t, process)
		q.knownLabels(t)
	}
}

// labelValuesCall is how Grafana asks for the values of a label.
var labelValuesCall = regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)

// processMetrics are the names that belong to no probe, those of Go's runtime and of the process among them.
func processMetrics(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	metrics.New(metrics.Build{}).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics?process", nil))
	return w.Body.String()
}

var selector = regexp.MustCompile(`\b([a-z]\w*)\{([^}]*)\}`)

// knownSelectors holds that what is selected is there, and is told apart by labels and values that it has.
func (q question) knownSelectors(t *testing.T, process string) {
	t.Helper()
	for _, m := range selector.FindAllStringSubmatch(q.expr, -1) {
		labels := []string{"job", "instance"}
		i := slices.IndexFunc(metrics.All(), func(f metrics.Family) bool { return f.Name == strings.TrimSuffix(m[1], "_bucket") })
		if i >= 0 {
			labels = append(labels, metrics.All()[i].Labels...)
		} else if !strings.Contains(process, "\n"+m[1]+" ") {
			t.Errorf("%s asks for %s, which there is not", q.where, m[1])
		}
		if i >= 0 && metrics.All()[i].PerProbe {
			labels = append(labels, "probe")
		}
		for _, matcher := range regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"([^"]*)"`).FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(labels, matcher[1]) {
				t.Errorf("%s tells %s apart by %s, want one of %q", q.where, m[1], matcher[1], labels)
			}
			if matcher[1] == "verdict" && !slices.Contains(probe.Verdicts(), probe.Verdict(matcher[2])) {
				t.Errorf("%s asks for the verdict %q, want one of %q", q.where, matcher[2], probe.Verdicts())
			}
		}
	}
}

// knownLabels holds that labels which are grouped and joined by, and those in legends, are some metric's.
func (q question) knownLabels(t *testing.T) {
	t.Helper()
	labels := []string{"job", "instance", "probe", "le"}
	for _, f := range metrics.All() {
		labels = append(labels, f.Labels...)
	}
	var named []string
	for _, m := range regexp.MustCompile(`\b(?:by|on|without|ignoring|group_left|group_right) ?\(([^)]*)\)`).FindAllStringSubmatch(q.expr, -1) {
		named = append(named, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	for _, m := range regexp.MustCompile(`\{\{\s*(.*?)\s*\}\}`).FindAllStringSubmatch(q.legend, -1) {
		named = append(named, m[1])
	}
	for _, name := range named {
		if !slices.Contains(labels, name) {
			t.Errorf("%s names the label %s, which no metric has", q.where, name)
		}
	}
}

// TestDashboardTellsFlaky holds that flaky is nowhere hidden in what passed: where the success after retries is
// shown, that of first attempts is shown beside it, and each verdict has a number of its own.
func TestDashboardTellsFlaky(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	for _, p := range d.Panels {
		var exprs bytes.Buffer
		for _, q := range p.Targets {
			exprs.WriteString(q.Expr)
		}
		if p.Type == "timeseries" && strings.Contains(exprs.String(), "sonde_run_failures_total") && !strings.Contains(exprs.String(), "sonde_runs_flaky_total") {
			t.Errorf("panel %q shows runs that failed without those that were flaky", p.Title)
		}
	}
	for _, v := range probe.Verdicts() {
		if !slices.ContainsFunc(d.Panels, func(p panel) bool {
			return p.Type == "stat" && strings.EqualFold(p.Title, string(v)) && strings.Contains(p.Targets[0].Expr, `verdict="`+string(v)+`"`)
		}) {
			t.Errorf("no number says how many probes are %s", v)
		}
	}
}
