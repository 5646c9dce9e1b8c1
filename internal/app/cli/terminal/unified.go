package terminal

import (
	"znkr.io/diff/textdiff"
)

// Unified returns the unified diff between two texts, "" if they are equal. Where the lines that only one text has could
// be any of several, they are a whole list item or block. A name may have characters that are not valid in names of objects or
// files; they are escaped, because a line end would begin another header or a line that looks like a message.
func Unified(beforeName, afterName, before, after string) string {
	hunks := textdiff.Unified(before, after, textdiff.IndentHeuristic())
	if hunks == "" {
		return ""
	}
	return "--- " + escaped(beforeName, "\t") + "\n+++ " + escaped(afterName, "\t") + "\n" + hunks
}
