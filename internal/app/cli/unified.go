package cli

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unified returns the unified diff between two texts, "" if they are equal.
//
// It corrects the line numbers in the second text, which patch and git apply use: up to v0.4.1, udiff does
// not count the unchanged lines between two changes of a hunk, so that the next hunk begins too early.
func unified(beforeName, afterName, before, after string) string {
	var b strings.Builder
	longer, hunks := 0, 0 // the lines that the hunks so far have added
	for line := range strings.Lines(udiff.Unified(beforeName, afterName, before, after)) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			if hunks++; hunks > 1 {
				line = renumbered(line, longer)
			}
		case hunks > 0 && line[0] == '+':
			longer++
		case hunks > 0 && line[0] == '-':
			longer--
		}
		b.WriteString(line)
	}
	return b.String()
}

// renumbered returns the header of a hunk, "@@ -6,9 +6,17 @@", for a second text that has a number of lines
// more than the first before the hunk.
func renumbered(header string, longer int) string {
	before, after, _ := strings.Cut(strings.TrimPrefix(header, "@@ -"), " +")
	first, _, _ := strings.Cut(before, ",")
	n, err := strconv.Atoi(first)
	if err != nil {
		return header
	}
	end := strings.IndexAny(after, ", ")
	return "@@ -" + before + " +" + strconv.Itoa(n+longer) + after[end:]
}
