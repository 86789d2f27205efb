package shard

import (
	"fmt"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0/1": "shard 0/1", "3/4": "shard 3/4", "1023/1024": "shard 1023/1024", "auto/4": "shard 2/4", "007/08": "shard 7/8",
		"4/4":                   `is "4/4", but shards count from 0: want 0/4 to 3/4`,
		"1/1":                   `is "1/1", but shards count from 0: want 0/1`,
		"0/0":                   `is "0/0", want at least 1 shard`,
		"auto/0":                `is "auto/0", want at least 1 shard`,
		"0/1025":                `is "0/1025", want at most 1024 shards`,
		"-1/3":                  `is "-1/3", want I/N such as 0/4, or auto/N`,
		"":                      `is "", want I/N such as 0/4, or auto/N`,
		"4":                     `is "4", want I/N such as 0/4, or auto/N`,
		"1 / 4":                 `is "1 / 4", want I/N such as 0/4, or auto/N`,
		"AUTO/4":                `is "AUTO/4", want I/N such as 0/4, or auto/N`,
		"1/4\n":                 `is "1/4\n", want I/N such as 0/4, or auto/N`,
		"0/9999999999999999999": `is "0/9999999999999999999", want I/N such as 0/4, or auto/N`,
	} {
		spec, err := Parse(text)
		s, _ := spec.Of("sonde-2")
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestOrdinals(t *testing.T) {
	t.Parallel()
	const none = `%q does not end with an ordinal, want a name such as sonde-3`
	for pod, want := range map[string]string{
		"sonde-0": "shard 0/4", "team-a-sonde-3": "shard 3/4", "-1": "shard 1/4",
		"sonde-4":       `"sonde-4" has the ordinal 4, want 0 to 3`,
		"sonde-5478211": `"sonde-5478211" has the ordinal 5478211, want 0 to 3`,
		"sonde":         none, "sonde-": none, "sonde-1a": none, "sonde1": none, "": none, "1": none,
		"sonde-01": none, "sonde-1\n": none, "sonde-99999999999": none, "sonde-7d9f8b6c5-x2k4j": none,
	} {
		if want == none {
			want = fmt.Sprintf(none, pod)
		}
		s, err := Spec{Count: 4, Auto: true}.Of(pod)
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", pod, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1/4", "")
	f.Add("auto/4", "sonde-3")
	f.Fuzz(func(t *testing.T, text, pod string) {
		spec, err := Parse(text)
		if err != nil {
			return
		}
		s, err := spec.Of(pod)
		if err == nil && (s.Index < 0 || s.Index >= s.Count || s.Count > Most) {
			t.Errorf("%q in %q is %v", text, pod, s)
		}
	})
}
