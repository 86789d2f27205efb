package schema

import "strings"

// Nearest is the word that was probably meant by another, or empty: the one at the least edit distance, if
// that is small for the word's length, else one that begins alike, as status does for status_code. Case,
// and - for _, cost nothing. It is what "did you mean" stands on.
func Nearest(got string, words []string) string {
	got = normal(got)
	if len(got) < 3 || len(got) > 64 {
		return ""
	}
	best, least := "", 1+max(1, min(3, len([]rune(got))/3))
	for _, w := range words {
		if d := distance(got, normal(w)); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return beginsAlike(got, words)
	}
	return best
}

// beginsAlike is the word that got goes on from, or that goes on from got, at a _.
func beginsAlike(got string, words []string) string {
	for _, w := range words {
		n := normal(w)
		if strings.HasPrefix(got, n+"_") || strings.HasPrefix(n, got+"_") {
			return w
		}
	}
	return ""
}

func normal(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance is the number of insertions, deletions, replacements and swaps of neighbours that turn a
// into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// didYouMean is the hint for a near miss, or empty.
func didYouMean(got string, words []string) string {
	if w := Nearest(got, words); w != "" {
		return "; did you mean " + w + "?"
	}
	return ""
}

// alternatives lists words as prose: a, b or c.
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
