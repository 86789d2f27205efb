package probe

import (
	"strconv"
	"strings"
)

var (
	// keyWords are what a key contains whose value may be a credential. A file's own keys, such as
	// key_file and passes, are in other words: a warning about each of them would be noise.
	keyWords = []string{
		"token", "secret", "passw", "authorization", "cookie", "credential", "apikey", "api_key", "api-key", "signature",
	}
	// parameterWords are what else the name of a credential contains where nobody is bothered by one too
	// many: what is sent is hidden, not warned of. "author" is one, too.
	parameterWords = []string{"key", "pass", "sig", "auth"}
)

// IsSecretKey is true of a key in a file whose value may be a credential: one to warn of where it is
// written out, and never to show. It is asked of every value of a file, so it is no regular expression.
func IsSecretKey(key string) bool {
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "auth") || containsAny(key, keyWords)
}

// IsSecretParameter is true of the name of a query parameter, a header or a field whose value is hidden
// wherever it is shown. The name may have a URL's escapes. It errs on the side of caution, and is true of
// whatever IsSecretKey is true of.
func IsSecretParameter(name string) bool {
	name = strings.ToLower(unescaped(name))
	return containsAny(name, parameterWords) || containsAny(name, keyWords)
}

// unescaped is a name without those of a URL's escapes that are whole: a broken one hides nothing.
func unescaped(name string) string {
	parts := strings.Split(name, "%")
	for i, part := range parts[1:] {
		if len(part) >= 2 {
			if c, err := strconv.ParseUint(part[:2], 16, 8); err == nil {
				parts[i+1] = string([]byte{byte(c)}) + part[2:]
				continue
			}
		}
		parts[i+1] = "%" + part
	}
	return strings.Join(parts, "")
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
