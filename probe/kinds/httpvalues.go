package kinds

import (
	"errors"
	"strconv"

	"sonde/probe/conn"
)

// HTTPVersion is which HTTP is spoken.
type HTTPVersion conn.Version

// UnmarshalText takes one of the versions.
func (v *HTTPVersion) UnmarshalText(b []byte) error {
	switch text := conn.Version(b); text {
	case conn.Auto, conn.V1, conn.V2, conn.H2C:
		*v = HTTPVersion(text)
		return nil
	}
	return errors.New("want auto, 1.1, 2 or h2c")
}

// MarshalText is the version.
func (v HTTPVersion) MarshalText() ([]byte, error) { return []byte(v), nil }

// JSONSchema lists the versions; a number may be written without quotes.
func (HTTPVersion) JSONSchema() map[string]any {
	return map[string]any{"enum": []any{"auto", "1.1", 1.1, "2", 2, "h2c"}}
}

// Redirects is how many redirects are followed; 0 is written none.
type Redirects int

// maxRedirects bounds what a file may ask for.
const maxRedirects = 100

// UnmarshalText takes a number or none.
func (r *Redirects) UnmarshalText(b []byte) error {
	if string(b) == "none" {
		*r = 0
		return nil
	}
	n, err := strconv.ParseUint(string(b), 10, 32)
	if err != nil || n < 1 || n > maxRedirects {
		return errors.New("want 1 to 100, or none")
	}
	*r = Redirects(n)
	return nil
}

// Numeric takes the number without quotes only.
func (Redirects) Numeric() {}

// String is the number, or none.
func (r Redirects) String() string {
	if r == 0 {
		return "none"
	}
	return strconv.Itoa(int(r))
}

// MarshalText is String.
func (r Redirects) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// JSONSchema is a number or none.
func (Redirects) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 1, "maximum": maxRedirects},
		map[string]any{"enum": []any{"none"}},
	}}
}
