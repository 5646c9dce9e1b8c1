package cli

import "strings"

// andList joins words: a, b and c
func andList(words []string) string { return wordList(words, " and ") }

// orList joins words: a, b or c
func orList(words []string) string { return wordList(words, " or ") }

func wordList(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + last + words[n-1]
	}
	return strings.Join(words, "")
}
