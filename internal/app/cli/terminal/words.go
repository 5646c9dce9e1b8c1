package terminal

import (
	"fmt"
	"strings"
)

// Count formats a number with the singular or plural of a noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// AndList joins words: a, b and c
func AndList(words []string) string { return wordList(words, " and ") }

// OrList joins words: a, b or c
func OrList(words []string) string { return wordList(words, " or ") }

func wordList(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + last + words[n-1]
	}
	return strings.Join(words, "")
}
