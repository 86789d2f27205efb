package main

import (
	"encoding/json"
	"math"
)

// number is something measured. Where nothing could be measured it is nothing, which JSON has as null.
type number float64

var nothing = number(math.NaN())

func (n number) there() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if !n.there() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = nothing
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
