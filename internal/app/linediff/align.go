// Package linediff aligns the lines of two texts, for the diffs of the command and of the playground.
package linediff

import "math"

// Pair is a pair of equal lines in two texts, by their indices, or a line of one of them; the other
// index is then -1.
type Pair struct{ Before, After int }

// Align aligns two texts by a common subsequence of their lines, the longest one unless the texts are long and differ
// almost everywhere. Where the lines that only one text has could be any of several, they
// are those that begin with the least indentation, for example a whole list item. Of the lines between two
// pairs, those of the first text come first.
func Align(before, after []string) []Pair {
	out := newComparison(before, after).pairs()
	for i := 0; i < len(out); {
		if out[i].Before >= 0 && out[i].After >= 0 {
			i++
		} else {
			i = settle(out, i, before, after)
		}
	}
	return out
}

// settle moves the block of lines of one text that begins at start to its best place, and
// returns where the pairs begin that it has not looked at. If the line before a block equals
// the last one of it, the block can as well begin and end one line earlier, and likewise later.
func settle(pairs []Pair, start int, before, after []string) int {
	own, other := func(p *Pair) *int { return &p.Before }, func(p *Pair) *int { return &p.After }
	lines := before
	if pairs[start].Before < 0 {
		own, other, lines = other, own, after
	}
	end := start
	for end < len(pairs) && *other(&pairs[end]) < 0 {
		end++
	}
	both := func(i int) bool { return i >= 0 && i < len(pairs) && pairs[i].Before >= 0 && pairs[i].After >= 0 }
	first, n := *own(&pairs[start]), end-start
	least, best := indentation(lines[first]), 0
	earlier := 0
	for both(start-earlier-1) && lines[first-earlier-1] == lines[first-earlier-1+n] {
		earlier++
		if in := indentation(lines[first-earlier]); in < least {
			least, best = in, -earlier
		}
	}
	for later := 0; both(end+later) && lines[first+later] == lines[first+later+n]; {
		later++
		if in := indentation(lines[first+later]); in <= least {
			least, best = in, later
		}
	}
	for ; best > 0; best-- { // the first line of the block is paired instead of the one after it
		*other(&pairs[start]), *other(&pairs[end]) = *other(&pairs[end]), -1
		start++
		end++
	}
	for ; best < 0; best++ {
		start--
		end--
		*other(&pairs[end]), *other(&pairs[start]) = *other(&pairs[start]), -1
	}
	return end
}

// indentation returns the number of spaces that a line begins with. A block does not begin
// with an empty line if it can begin with another.
func indentation(line string) int {
	for i := range len(line) {
		if line[i] != ' ' {
			return i
		}
	}
	return math.MaxInt
}
