package playground

// pair is a pair of equal lines in two texts, or a line of one of them; the other index is
// then -1.
type pair struct{ before, after int }

// maxCells limits the size of the comparison table (to 8 MB). Larger differences are shown as
// all lines removed and all added.
const maxCells = 2 << 20

// compare aligns two texts: their common prefix and suffix, and a longest common subsequence
// of the lines between.
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
	return out
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
