package metrics

import "flag"

var update = flag.Bool("update", false, "write METRICS.md and the testdata anew")

// Update is the flag, for the tests of package metrics_test: what makes METRICS.md imports metrics.
var Update = update
