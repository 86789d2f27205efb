package junit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 30, 11, 0, 0, 999, time.FixedZone("", 3600))
	skipped := 0
	var b strings.Builder
	err := Write(&b, Suites{Name: "all", Skipped: &skipped, Time: Seconds(1500 * time.Millisecond), Suites: []Suite{
		{Name: "empty", Time: "0"},
		{Name: "full", Tests: 99, Time: Seconds(0), Timestamp: Timestamp(began), Cases: []Case{
			{Name: "passes", Class: "c", Time: "0", Output: "said <this>"},
			{Name: "fails", Class: "c", File: "a.yaml", Time: "0", Properties: &Properties{[]Property{{"kind", `"`}}}, Failure: &Fault{"no", "status", "more"}},
			{Name: "breaks", Class: "c", Time: "0", Error: &Fault{Message: "cannot"}},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="3" failures="1" errors="1" skipped="0" time="1.500">
  <testsuite name="empty" tests="0" failures="0" errors="0" skipped="0" time="0"></testsuite>
  <testsuite name="full" tests="3" failures="1" errors="1" skipped="0" time="0.000" timestamp="2026-11-30T10:00:00">
    <testcase name="passes" classname="c" time="0">
      <system-out>said &lt;this&gt;</system-out>
    </testcase>
    <testcase name="fails" classname="c" file="a.yaml" time="0">
      <properties>
        <property name="kind" value="&#34;"></property>
      </properties>
      <failure message="no" type="status">more</failure>
    </testcase>
    <testcase name="breaks" classname="c" time="0">
      <error message="cannot" type=""></error>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
