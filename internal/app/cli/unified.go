package cli

import "znkr.io/diff/textdiff"

// unified returns the unified diff between two texts, "" if they are equal. Where the lines that only one text has could
// be any of several, they are a whole list item or block.
func unified(beforeName, afterName, before, after string) string {
	hunks := textdiff.Unified(before, after, textdiff.IndentHeuristic())
	if hunks == "" {
		return ""
	}
	return "--- " + beforeName + "\n+++ " + afterName + "\n" + hunks
}
