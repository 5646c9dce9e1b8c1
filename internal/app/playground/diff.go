package playground

// pair is a line of two texts, or of one of them: the other's position is -1.
type pair struct{ before, after int }

// maxCells bounds the table of a comparison (8 MB of it). What differs more than
// that is shown as all removed and all added.
const maxCells = 2 << 20

// compare lines up two texts so that as many lines as possible stand beside an
// equal one: what both begin and end with, and a longest common subsequence of
// what is between.
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

// between appends the pairs of two texts that begin at offset in the whole.
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

// common is the table of the lengths of longest common subsequences of what
// begins at line i of before and line j of after, row by row.
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
