package main

import (
	"strings"

	"sonde/schema"
)

// nearest is the word that somebody who wrote name may have meant, as schema has it for keys; else one of
// which name is the beginning or the end, as home is of shop-home. It is empty when there is none.
func nearest(name string, words []string) string {
	if near := schema.Nearest(name, words); near != "" || name == "" {
		return near
	}
	for _, w := range words {
		if strings.HasPrefix(w, name) || strings.HasSuffix(w, name) {
			return w
		}
	}
	return ""
}
