package schema

// Nearest is the word that was probably meant by another, or empty when none is close. It is what
// "did you mean" stands on.
func Nearest(got string, words []string) string { return nearest(got, words) }
