package probe

import (
	"math"
	"testing"
)

func TestNumbersInProse(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 probes", 1: "1 probe", 2: "2 probes", 1000: "1000 probes"} {
		if got := Count(n, "probe"); got != want {
			t.Errorf("Count(%d) is %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 10000: "10,000", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) is %q, want %q", n, got, want)
		}
	}
}
