package shard

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// Spec is a shard as people write it: 1/4, or auto/4, whose index is the ordinal in the name of the pod.
type Spec struct {
	Index, Count int
	// Auto is true when Index is yet to be found.
	Auto bool
}

var specForm = regexp.MustCompile(`^(auto|[0-9]{1,9})/([0-9]{1,9})$`)

// Parse reads I/N or auto/N. The error says what was got and what is wanted.
func Parse(text string) (Spec, error) {
	m := specForm.FindStringSubmatch(text)
	if m == nil {
		return Spec{}, fmt.Errorf("is %q, want I/N such as 0/4, or auto/N", text)
	}
	s := Spec{Auto: m[1] == "auto"}
	s.Count, _ = strconv.Atoi(m[2])
	switch {
	case s.Count < 1:
		return Spec{}, fmt.Errorf("is %q, want at least 1 shard", text)
	case s.Count > Most:
		return Spec{}, fmt.Errorf("is %q, want at most %d shards", text, Most)
	case s.Auto:
		return s, nil
	}
	if s.Index, _ = strconv.Atoi(m[1]); s.Index >= s.Count {
		return Spec{}, fmt.Errorf("is %q, but shards count from 0: want %s", text, span(s.Count))
	}
	return s, nil
}

// span is all that may be written of a number of shards.
func span(count int) string {
	if count == 1 {
		return "0/1"
	}
	return fmt.Sprintf("0/%d to %d/%d", count, count-1, count)
}

// ErrNoOrdinal is what is wrong with a name that no pod of a StatefulSet has.
var ErrNoOrdinal = errors.New("does not end with an ordinal, want a name such as sonde-3")

var ordinal = regexp.MustCompile(`-(0|[1-9][0-9]{0,8})$`)

// Of is the shard that a spec means in the pod of a name, such as sonde-3. The name matters to auto only.
// The error begins with the name, and is ErrNoOrdinal of one that has none.
func (s Spec) Of(pod string) (Shard, error) {
	if !s.Auto {
		return Shard{s.Index, s.Count}, nil
	}
	m := ordinal.FindStringSubmatch(pod)
	if m == nil {
		return Shard{}, fmt.Errorf("%q %w", pod, ErrNoOrdinal)
	}
	index, _ := strconv.Atoi(m[1])
	if index >= s.Count {
		return Shard{}, fmt.Errorf("%q has the ordinal %d, want 0 to %d", pod, index, s.Count-1)
	}
	return Shard{index, s.Count}, nil
}
