package cli

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/linediff"
)

// contextLines is the number of unchanged lines around the changes of a diff, as in diff -u.
const contextLines = 3

// unified returns the unified diff between two texts, "" if they are equal.
func unified(beforeName, afterName, before, after string) string {
	if before == after {
		return ""
	}
	d := lineDiff{before: linesOf(before), after: linesOf(after)}
	d.pairs = linediff.Align(d.before, d.after)
	d.out.WriteString("--- " + beforeName + "\n+++ " + afterName + "\n")
	for start := d.nextChange(0); start < len(d.pairs); {
		end := start + 1 // the pair after the last change of the hunk
		for next := d.nextChange(end); next < len(d.pairs) && next-end <= 2*contextLines; next = d.nextChange(end) {
			end = next + 1
		}
		d.hunk(max(start-contextLines, 0), min(end+contextLines, len(d.pairs)))
		start = d.nextChange(end)
	}
	return d.out.String()
}

// linesOf returns the lines of a text with their line feeds.
func linesOf(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		return lines[:last]
	}
	return lines
}

// lineDiff prints the aligned lines of two texts.
type lineDiff struct {
	before, after []string
	pairs         []linediff.Pair
	read          int // the pairs that precede the hunk
	// beforeLine and afterLine are the numbers of lines that precede the hunk.
	beforeLine, afterLine int
	out                   strings.Builder
}

// nextChange returns the first pair from i on that is a line of only one text.
func (d *lineDiff) nextChange(i int) int {
	for i < len(d.pairs) && d.pairs[i].Before >= 0 && d.pairs[i].After >= 0 {
		i++
	}
	return i
}

// hunk prints the pairs from start to end.
func (d *lineDiff) hunk(start, end int) {
	count := func(pairs []linediff.Pair) (before, after int) {
		for _, p := range pairs {
			if p.Before >= 0 {
				before++
			}
			if p.After >= 0 {
				after++
			}
		}
		return before, after
	}
	skippedBefore, skippedAfter := count(d.pairs[d.read:start])
	d.beforeLine, d.afterLine = d.beforeLine+skippedBefore, d.afterLine+skippedAfter
	before, after := count(d.pairs[start:end])
	fmt.Fprintf(&d.out, "@@ -%s +%s @@\n", lineRange(d.beforeLine, before), lineRange(d.afterLine, after))
	for _, p := range d.pairs[start:end] {
		switch {
		case p.After < 0:
			d.line("-", d.before[p.Before])
		case p.Before < 0:
			d.line("+", d.after[p.After])
		default:
			d.line(" ", d.before[p.Before])
		}
	}
	d.beforeLine, d.afterLine, d.read = d.beforeLine+before, d.afterLine+after, end
}

// line prints a line of a text after its sign.
func (d *lineDiff) line(sign, text string) {
	d.out.WriteString(sign + text)
	if !strings.HasSuffix(text, "\n") {
		d.out.WriteString("\n\\ No newline at end of file\n")
	}
}

// lineRange returns the lines of a hunk as its header has them: the first, and their number unless it is one. A hunk
// without lines is after the preceding one.
func lineRange(preceding, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", preceding)
	case 1:
		return fmt.Sprint(preceding + 1)
	}
	return fmt.Sprintf("%d,%d", preceding+1, n)
}
