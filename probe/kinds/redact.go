package kinds

import (
	"net/url"
	"strings"

	"sonde/probe"
)

// maxURL bounds a redacted URL in bytes: a target can send a Location of any length.
const maxURL = 2048

// redact is a URL as it may be shown: without userinfo and fragment, with "<secret>" for the values of
// parameters whose names look like secrets, in valid UTF-8 and at most maxURL bytes. The order and the
// spelling of all else are kept.
func redact(u *url.URL) string { return probe.Clip(redactWhole(u), maxURL) }

// redactWhole is redact for who masks what it returns before it is cut: of a secret that is cut the rest would be
// shown.
func redactWhole(u *url.URL) string {
	shown := *u
	shown.User, shown.Fragment, shown.RawFragment, shown.ForceQuery = nil, "", "", false
	return strings.ToValidUTF8(probe.HidePairs(shown.String(), probe.HiddenPair), "\uFFFD")
}

// unescape is the text without its URL escapes, or as it is when they are broken.
func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
