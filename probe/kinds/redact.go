package kinds

import (
	"net/url"
	"strings"

	"sonde/probe"
)

// maxURL bounds a redacted URL in bytes: a target can send a Location of any length.
const maxURL = 2048

// redact is a URL as it may be shown: without userinfo and fragment, with "<secret>" for the values of
// query parameters whose names look like secrets, in valid UTF-8 and at most maxURL bytes.
func redact(u *url.URL) string {
	shown := *u
	shown.User, shown.Fragment, shown.RawFragment = nil, "", ""
	shown.RawQuery, shown.ForceQuery = "", false
	text := shown.String()
	if u.RawQuery != "" {
		text += "?" + redactQuery(u.RawQuery)
	}
	return probe.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxURL)
}

// redactQuery keeps the order and the spelling of all that is no secret.
func redactQuery(query string) string {
	var b strings.Builder
	for i, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		if i > 0 {
			b.WriteByte('&')
		}
		name, _, hasValue := strings.Cut(pair, "=")
		if hasValue && probe.IsSecretParameter(name) {
			pair = name + "=" + probe.SecretText
		}
		b.WriteString(pair)
	}
	return b.String()
}

// unescape is the text without its URL escapes, or as it is when they are broken.
func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
