package playground

import "math"

// pair is a pair of equal lines in two texts, or a line of one of them; the other index is
// then -1.
type pair struct{ before, after int }

// maxCells limits the size of the comparison table (to 8 MB). Larger differences are shown as
// all lines removed and all added.
const maxCells = 2 << 20

// compare aligns two texts: their common prefix and suffix, and a longest common subsequence
// of the lines between. Where the lines that only one text has could be any of several, they
// are those that begin with the least indentation, for example a whole list item.
func compare(before, after []string) []pair {
	out := make([]pair, 0, max(len(before), len(after)))
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		out = append(out, pair{start, start})
		start++
	}
	b, a := len(before), len(after)
	for b > start && a > start && before[b-1] == after[a-1] {
		b--
		a--
	}
	out = between(out, before[start:b], after[start:a], start)
	for b < len(before) {
		out = append(out, pair{b, a})
		b++
		a++
	}
	for i := 0; i < len(out); {
		if out[i].before >= 0 && out[i].after >= 0 {
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
func settle(pairs []pair, start int, before, after []string) int {
	own, other := func(p *pair) *int { return &p.before }, func(p *pair) *int { return &p.after }
	lines := before
	if pairs[start].before < 0 {
		own, other, lines = other, own, after
	}
	end := start
	for end < len(pairs) && *other(&pairs[end]) < 0 {
		end++
	}
	both := func(i int) bool { return i >= 0 && i < len(pairs) && pairs[i].before >= 0 && pairs[i].after >= 0 }
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

// between appends the pairs of two texts that begin at offset.
func between(out []pair, before, after []string, offset int) []pair {
	i, j := 0, 0
	if len(before)*len(after) <= maxCells {
		table := common(before, after)
		width := len(after) + 1
		for i < len(before) && j < len(after) {
			switch {
			case before[i] == after[j]:
				out = append(out, pair{offset + i, offset + j})
				i++
				j++
			case table[(i+1)*width+j] >= table[i*width+j+1]:
				out = append(out, pair{offset + i, -1})
				i++
			default:
				out = append(out, pair{-1, offset + j})
				j++
			}
		}
	}
	for ; i < len(before); i++ {
		out = append(out, pair{offset + i, -1})
	}
	for ; j < len(after); j++ {
		out = append(out, pair{-1, offset + j})
	}
	return out
}

// common returns, row by row, the lengths of the longest common subsequences of before[i:] and
// after[j:].
func common(before, after []string) []int32 {
	width := len(after) + 1
	table := make([]int32, (len(before)+1)*width)
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	return table
}
