package main

import "strings"

// nearest is the word that somebody who wrote name may have meant; empty when none is near.
func nearest(name string, words []string) string {
	best, bestAt := "", max(2, len(name)/3)+1
	for _, w := range words {
		at := distance(name, w)
		if strings.HasPrefix(w, name) || strings.HasSuffix(w, name) {
			at = min(at, 2)
		}
		if at < bestAt {
			best, bestAt = w, at
		}
	}
	return best
}

// distance is how many characters must be added, taken away or changed to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
