package kinds

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sonde/probe"
)

// maxArgument bounds, in bytes, a body that is an argument of the command: systems bound those, too.
const maxArgument = 64 << 10

// sendsBody is true of a request that has a body, and of one whose method wants its length said, were it 0.
func (c *curlCommand) sendsBody() bool {
	switch c.settings.Method {
	case "POST", "PUT", "PATCH":
		return true
	}
	return len(c.body) > 0
}

// payload says the body: as an argument, or, where none can hold it, through a pipe.
func (c *curlCommand) payload() {
	if !c.sendsBody() {
		return
	}
	pieces := c.bodyPieces()
	switch {
	case len(c.body) > maxArgument || slices.Contains(c.body, 0):
		c.pipe = printed(pieces) + " | "
		c.say("--data-binary", literal("@-"))
	case len(c.body) > 0 && c.body[0] == '@': // which would name a file
		c.say("--data-raw", pieces...)
	default:
		c.say("--data-binary", append(pieces, literal(""))...)
	}
}

// printed is a command that writes pieces, NUL included, which no word of a shell holds.
func printed(pieces []piece) string {
	format, words, part := "%s", "", []piece(nil)
	for _, p := range pieces {
		texts := strings.Split(p.text, "\x00")
		for i, text := range texts {
			if i > 0 {
				words, part = words+" "+word(part), nil
				format += `\000%s`
			}
			part = append(part, piece{text, p.expansion})
		}
	}
	return "printf '" + format + "'" + words + " " + word(part)
}

// bodyPieces is the body with no secret in it.
func (c *curlCommand) bodyPieces() []piece {
	switch {
	case c.settings.JSON != nil:
		shown := *c.settings
		shown.JSON = c.hideFields(c.settings.JSON, false)
		text, err := shown.payload()
		if err != nil {
			return []piece{literal(probe.SecretText)} // it was written before, so this cannot be
		}
		return c.plain(string(text))
	case c.settings.Form != nil:
		return c.formPieces(c.settings.formValues())
	}
	return c.plain(string(c.body))
}

// hideFields is a value that will be JSON, with SecretText for what stands under names that look like
// secrets, unless it was filled in as a whole and so has a name.
func (c *curlCommand) hideFields(value any, secret bool) any {
	switch v := value.(type) {
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for name, field := range v {
			hidden[name] = c.hideFields(field, secret || probe.IsSecretParameter(name))
		}
		return hidden
	case []any:
		hidden := make([]any, len(v))
		for i, element := range v {
			hidden[i] = c.hideFields(element, secret)
		}
		return hidden
	case nil, bool:
		return v
	}
	if !secret || c.named(fmt.Sprint(value)) {
		return value
	}
	c.masked = true
	return probe.SecretText
}

// named reports whether a text was filled in as a whole, so that the command can name where it came from.
func (s *speller) named(text string) bool {
	return slices.ContainsFunc(s.filled, func(f probe.Filled) bool { return f.Value == text && canExpand(text) })
}

// formPieces is a form as url.Values.Encode writes it.
func (c *curlCommand) formPieces(form url.Values) (list []piece) {
	for _, name := range sortedKeys(form) {
		for _, value := range form[name] {
			if len(list) > 0 {
				list = append(list, literal("&"))
			}
			list = append(list, c.plain(url.QueryEscape(name)+"=")...)
			if value = url.QueryEscape(value); probe.IsSecretParameter(name) {
				list = append(list, c.hidden(value)...)
			} else {
				list = append(list, c.plain(value)...)
			}
		}
	}
	return list
}
