package probe

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// spelt is how many bytes at the beginning of a text spell a secret; 0 is none. Each character may stand
// there plainly or in an escape of URLs, HTML, JSON or Go: programs escape what they must, each by rules of
// its own, so that no list of whole spellings is ever complete. cut says that more followed the text: then
// the beginning of the secret at its very end counts, too, from minPart bytes on.
func spelt(text, secret string, cut bool) int {
	if !mayBegin(text, secret) {
		return 0
	}
	var room [2][4]int
	ends, next := append(room[0][:0], 0), room[1][:0] // where what was read of the secret may end: mostly at one place
	for {
		if len(ends) == 1 {
			n := plainRun(text[ends[0]:], secret)
			ends[0], secret = ends[0]+n, secret[n:]
		}
		if secret == "" {
			return slices.Max(ends)
		}
		size := unit(secret)
		next = next[:0]
		for _, end := range ends {
			if cut && len(text) >= minPart && isCutShort(text[end:], secret[:size]) {
				return len(text)
			}
			next = spellings(text, end, secret[:size], next)
		}
		if len(next) == 0 {
			return 0
		}
		secret = secret[size:]
		ends, next = next, ends
	}
}

// plainRun is how many characters in ASCII at the beginning of a text and a secret are the same and begin no escape,
// so that there is no other way to read them.
func plainRun(text, secret string) (n int) {
	for n < min(len(text), len(secret)) && secret[n] < utf8.RuneSelf && lower(text[n]) == lower(secret[n]) && !beginsEscape(text[n]) {
		n++
	}
	return n
}

func beginsEscape(c byte) bool { return c == '%' || c == '&' || c == '\\' || c == '+' }

// mayBegin is a quick test that most places of most texts do not pass.
func mayBegin(text, secret string) bool {
	if text == "" || secret == "" {
		return false
	}
	c := text[0]
	return beginsEscape(c) || lower(c) == lower(secret[0]) || c == "\uFFFD"[0] && secret[0] >= utf8.RuneSelf
}

// unit is how many bytes of a secret are spelt together: a character, or all bytes up to the next that are none.
func unit(secret string) (size int) {
	for size < len(secret) {
		r, n := utf8.DecodeRuneInString(secret[size:])
		switch valid := r != utf8.RuneError || n > 1; {
		case valid && size > 0:
			return size
		case valid:
			return n
		}
		size += n
	}
	return size
}

// isCutShort is true of a text that ends before it has spelt a character, but might have.
func isCutShort(text, char string) bool {
	if len(text) < len(char) && strings.HasPrefix(char, text) {
		return true
	}
	return len(text) < maxEscape && strings.IndexByte(`%&\`, text[0]) >= 0 && !strings.ContainsAny(text[1:], "; <>\n")
}

// maxEscape bounds, in bytes, an escape of one character: there are names of HTML as long as that.
const maxEscape = 40

// spellings appends to ends where a character that is spelt from a place of the text on may end.
func spellings(text string, from int, char string, ends []int) []int {
	found := func(size int) {
		if size > 0 && !slices.Contains(ends, from+size) {
			ends = append(ends, from+size)
		}
	}
	text = text[from:]
	if text == "" {
		return ends
	}
	found(plainly(text, char))
	switch text[0] {
	case '+':
		if char == " " {
			found(1)
		}
	case '%':
		found(percented(text, char))
		for size := 1; char == "%" && strings.HasPrefix(text[size:], "25"); size += 2 {
			found(size + 2)
		}
	case '&':
		entities(text, char, found)
	case '\\':
		found(backslashed(text, char))
		if char[0] < utf8.RuneSelf && len(text) > 1 { // which may itself be escaped once more
			escaped := func(size int) { found(size + min(size, 1)) }
			escaped(plainly(text[1:], char))
			entities(text[1:], char, escaped)
		}
	}
	return ends
}

// plainly is the size of a character that stands there as it is. Bytes that are no character may have become the
// character that stands for such.
func plainly(text, char string) int {
	const odd = "\uFFFD"
	switch {
	case len(text) >= len(char) && alike(text[:len(char)], char):
		return len(char)
	case !utf8.ValidString(char) && strings.HasPrefix(text, strings.Repeat(odd, len(char))):
		return len(odd) * len(char)
	case !utf8.ValidString(char) && strings.HasPrefix(text, odd):
		return len(odd)
	}
	return 0
}

// alike reports whether two texts of one length are equal but for capitals in ASCII.
func alike(a, b string) bool {
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// percented is the size of a character in a URL's escapes, which may be escaped themselves.
func percented(text, char string) (size int) {
	for i := range len(char) {
		n := percentedByte(text[size:], char[i])
		if n == 0 {
			return 0
		}
		size += n
	}
	return size
}

func percentedByte(text string, c byte) int {
	for size := 1; strings.HasPrefix(text, "%") && size+2 <= len(text); size += 2 {
		if b, err := strconv.ParseUint(text[size:size+2], 16, 8); err == nil && lower(byte(b)) == lower(c) {
			return size + 2
		}
		if text[size:size+2] != "25" {
			break
		}
	}
	return 0
}

// entities finds the sizes of a character as HTML names or numbers it, which may be escaped itself.
func entities(text, char string, found func(size int)) {
	for at := 1; text[0] == '&'; {
		end := strings.IndexByte(text[at:min(len(text), at+maxEscape)], ';')
		if end < 0 {
			return
		}
		end += at + 1
		if meant := html.UnescapeString("&" + text[at:end]); len(meant) == len(char) && alike(meant, char) {
			found(end)
		}
		if text[at:end] != "amp;" {
			return
		}
		at = end
	}
}

// short are the escapes of one letter.
var short = map[byte]string{'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '0': "\x00"}

// backslashed is the size of a character in an escape of JSON or Go.
func backslashed(text, char string) int {
	if len(text) < 2 {
		return 0
	}
	if short[text[1]] == char {
		return 2
	}
	switch text[1] {
	case 'x':
		return hexBytes(text, char)
	case 'u':
		return utf16s(text, char)
	case 'U':
		r, n := utf8.DecodeRuneInString(char)
		if n == len(char) && hexAt(text, 2, 8) == int64(r) {
			return 10
		}
	}
	return 0
}

// hexBytes is the size of a character with an escape \x for each of its bytes.
func hexBytes(text, char string) (size int) {
	for i := range len(char) {
		if !strings.HasPrefix(text[size:], `\x`) || hexAt(text, size+2, 2) != int64(char[i]) {
			return 0
		}
		size += 4
	}
	return size
}

// utf16s is the size of a character with an escape \u for each half of a pair.
func utf16s(text, char string) int {
	size := 0
	for _, u := range utf16.Encode([]rune(char)) {
		if !strings.HasPrefix(text[size:], `\u`) || !alikeUnit(hexAt(text, size+2, 4), u) {
			return 0
		}
		size += 6
	}
	return size
}

func alikeUnit(n int64, u uint16) bool {
	return n == int64(u) || n >= 0 && n < utf8.RuneSelf && u < utf8.RuneSelf && lower(byte(n)) == lower(byte(u))
}

// hexAt is a number of so many hexadecimal digits; negative where there are none.
func hexAt(text string, from, digits int) int64 {
	if from+digits > len(text) {
		return -1
	}
	n, err := strconv.ParseUint(text[from:from+digits], 16, 32)
	if err != nil {
		return -1
	}
	return int64(n)
}
