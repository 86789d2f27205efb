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
func redact(u *url.URL) string {
	shown := *u
	shown.User, shown.Fragment, shown.RawFragment, shown.ForceQuery = nil, "", "", false
	text := probe.HidePairs(shown.String(), probe.HiddenPair)
	return probe.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxURL)
}

// unescape is the text without its URL escapes, or as it is when they are broken.
func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
