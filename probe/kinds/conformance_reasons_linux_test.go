package kinds_test

import (
	"regexp"
	"testing"

	"sonde/probe"
)

// unprovoked are the reasons that no row of this suite gives, and why.
var unprovoked = map[probe.Reason]string{
	probe.ReasonProberLate: "this process would have to be starved: TestStopped and TestBusy of conn starve one, TestAcceptanceOverload a whole sonde",
	probe.ReasonInternal:   "it is a bug of a prober: TestRun of probe has one panic",
	probe.ReasonConfig: "what a file names is read with the file, and what it says is checked then; conn gives it for routes and " +
		"requests that no kind makes (TestBadAddress, TestRequestIsWrong)",
}

// aReason is a failed attempt, as rows write it.
var aReason = regexp.MustCompile(`([a-z0-9_]+)@[a-z]+:[NRUW]`)

// TestEveryReasonIsProvoked holds that each reason of the table is what some row's attempt ends with, or is in
// the list above, and that no row names another.
func TestEveryReasonIsProvoked(t *testing.T) {
	t.Parallel()
	provoked := map[probe.Reason]string{}

	for _, rows := range [][]row{conformance(), socketRows, resolverRows(), namespaceRows()} {
		for _, r := range rows {
			for _, found := range aReason.FindAllStringSubmatch(r.tries, -1) {
				provoked[probe.Reason(found[1])] = r.id
			}
		}
	}
	for _, info := range probe.Reasons() {
		row, why := provoked[info.Reason], unprovoked[info.Reason]
		switch {
		case row == "" && why == "":
			t.Errorf("no row provokes %s: write one, or say why there is none", info.Reason)
		case row != "" && why != "":
			t.Errorf("%s is provoked by row %q: strike it from the list of those that are not", info.Reason, row)
		}
		delete(provoked, info.Reason)
	}
	for reason, row := range provoked {
		t.Errorf("row %q names %q, which is no reason", row, reason)
	}
}
