package probe

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestSecretNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		key, parameter bool
	}{
		{"Authorization", true, true}, {"Proxy-Authorization", true, true}, {"Set-Cookie", true, true}, {"X-Api-Key", true, true},
		{"password", true, true}, {"client_secret", true, true}, {"basic_auth", true, true}, {"ACCESS_TOKEN", true, true},
		{"X-Amz-Signature", true, true}, {"X-Amz-Credential", true, true}, {"apikey", true, true},
		{"key", false, true}, {"key_file", false, true}, {"pass", false, true}, {"sig", false, true}, {"author", false, true},
		{"X-Goog-Sig", false, true}, {"pass%77ord", false, true}, {"%74oken", false, true}, {"%zztoken", true, true}, {"%zz%74oken", false, true}, {"to%", false, false}, {"k%65", false, false}, {"%6bey%", false, true}, {"k%+5ey", false, false},
		{"", false, false}, {"session_id", false, false}, {"page", false, false}, {"server_name", false, false}, {"%zz", false, false}, {"q", false, false},
	} {
		if got := IsSecretKey(c.name); got != c.key {
			t.Errorf("%q is a secret key: %v, want %v", c.name, got, c.key)
		}
		if got := IsSecretParameter(c.name); got != c.parameter {
			t.Errorf("%q is a secret parameter: %v, want %v", c.name, got, c.parameter)
		}
	}
}

// TestSecretWords tries every word in every way in which it may be written.
func TestSecretWords(t *testing.T) {
	t.Parallel()
	for _, word := range slices.Concat(keyWords, parameterWords) {
		for _, name := range []string{word, strings.ToUpper(word), "x-" + word + "-2", "X_" + strings.ToTitle(word[:1]) + word[1:]} {
			if slices.Contains(keyWords, word) && !IsSecretKey(name) {
				t.Errorf("%q is no secret key", name)
			}
			escaped := strings.ReplaceAll(url.QueryEscape(name), name[:1], "%"+strings.ToUpper(hexOf(name[0])))
			if !IsSecretParameter(name) || !IsSecretParameter(escaped) {
				t.Errorf("%q or %q is no secret parameter", name, escaped)
			}
		}
	}
}

func hexOf(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

func FuzzSecretNames(f *testing.F) {
	f.Add("X-Api-Key")
	f.Add("%74oken")
	f.Fuzz(func(t *testing.T, name string) {
		if IsSecretKey(name) && !IsSecretParameter(name) {
			t.Errorf("%q is a secret as a key, but not as a parameter", name)
		}
	})
}
