package kinds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The statuses that there are.
const minStatus, maxStatus = 100, 599

// StatusRange is one element of a status set, a first and a last status: written as a number, as a
// range such as 200-299, or as a class such as 2xx.
type StatusRange [2]int

var (
	errStatus      = errors.New("want a status such as 200, 200-299 or 2xx")
	errStatusRange = fmt.Errorf("want %d to %d", minStatus, maxStatus)
	errStatusOrder = errors.New("want the smaller status first")
)

// UnmarshalText takes 200, 200-299 or 2xx.
func (r *StatusRange) UnmarshalText(b []byte) error {
	text := strings.TrimSpace(string(b))
	if len(text) == 3 && strings.EqualFold(text[1:], "xx") {
		return r.class(text[0])
	}
	if strings.Contains(text, ",") {
		return statusList(text)
	}
	first, last, isRange := strings.Cut(text, "-")
	from, err := parseStatus(first)
	if err != nil {
		return err
	}
	to := from
	if isRange {
		if to, err = parseStatus(last); err != nil {
			return err
		}
	}
	if to < from {
		return errStatusOrder
	}
	*r = StatusRange{from, to}
	return nil
}

// statusList says how several statuses are written that stand in one text.
func statusList(text string) error {
	for _, one := range strings.Split(text, ",") {
		if new(StatusRange).UnmarshalText([]byte(one)) != nil || strings.Contains(one, ",") {
			return errStatus
		}
	}
	return fmt.Errorf("want several as a list: [%s]", text)
}

func (r *StatusRange) class(digit byte) error {
	if digit < '0' || digit > '9' {
		return errStatus
	}
	if digit < '1' || digit > '5' {
		return errStatusRange
	}
	from := int(digit-'0') * 100
	*r = StatusRange{from, from + 99}
	return nil
}

func parseStatus(text string) (int, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseUint(text, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errStatusRange
	case err != nil:
		return 0, errStatus
	case n < minStatus || n > maxStatus:
		return 0, errStatusRange
	}
	return int(n), nil
}

// String is the range in its shortest form.
func (r StatusRange) String() string {
	switch {
	case r[0] == r[1]:
		return strconv.Itoa(r[0])
	case r[0]%100 == 0 && r[1] == r[0]+99:
		return strconv.Itoa(r[0]/100) + "xx"
	}
	return fmt.Sprintf("%d-%d", r[0], r[1])
}

// MarshalText is String.
func (r StatusRange) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// JSONSchema is a number, or a text of one of the three forms.
func (StatusRange) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": minStatus, "maximum": maxStatus},
		map[string]any{"type": "string", "pattern": "^ *([1-5][0-9][0-9]( *- *[1-5][0-9][0-9])?|[1-5][xX][xX]) *$"},
	}}
}

// StatusSet is a set of statuses; the empty one has none.
type StatusSet []StatusRange

// OneOrMany lets one element stand for the list.
func (StatusSet) OneOrMany() {}

// String lists the elements.
func (s StatusSet) String() string {
	if len(s) == 0 {
		return "none"
	}
	texts := make([]string, len(s))
	for i, r := range s {
		texts[i] = r.String()
	}
	return strings.Join(texts, ", ")
}

// only reports whether the set has elements and every status of it is one of those for which in is true.
func (s StatusSet) only(in func(status int) bool) bool {
	for _, r := range s {
		for status := r[0]; status <= r[1]; status++ {
			if !in(status) {
				return false
			}
		}
	}
	return len(s) > 0
}

// bits makes the set quick to ask. An element that could not be read holds no status.
func (s StatusSet) bits() (b statusBits) {
	for _, r := range s {
		for status := max(r[0], minStatus); status <= r[1]; status++ {
			b.add(status)
		}
	}
	return b
}

// statusBits is a set of statuses, one bit each from minStatus on.
type statusBits [(maxStatus - minStatus + 64) / 64]uint64

func (b *statusBits) add(status int) {
	b[(status-minStatus)/64] |= 1 << ((status - minStatus) % 64)
}

// has reports whether the status is in the set; one that no set can hold is not.
func (b *statusBits) has(status int) bool {
	if status < minStatus || status > maxStatus {
		return false
	}
	return b[(status-minStatus)/64]>>((status-minStatus)%64)&1 == 1
}
