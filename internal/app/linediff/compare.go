package linediff

import "math"

// maxEffort limits the differences that are followed at once, so that the time for two texts is at most proportional to
// their lines times this number. Up to it, the common subsequence is the longest one.
const maxEffort = 1024

// comparison finds a common subsequence of two texts with the algorithm of Myers ("An O(ND) Difference Algorithm and
// Its Variations", 1986) in linear space. A point (x, y) is a place in both texts, a diagonal is the difference x-y:
// steps along one pass equal lines, a step to a neighbour passes a line of one text.
type comparison struct {
	before, after []int32 // a number for each line, the same for equal lines
	removed       []bool  // by index in before: the line is not in the common subsequence
	added         []bool
	// forwards and backwards have for each diagonal the x that is farthest from the start and from the end, of those
	// that the same number of differences reaches. The diagonals begin at -len(after)-1.
	forwards, backwards []int
}

func newComparison(before, after []string) *comparison {
	numbers := make(map[string]int32, len(before))
	numbered := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, line := range lines {
			n, known := numbers[line]
			if !known {
				n = int32(len(numbers))
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	diagonals := len(before) + len(after) + 3
	c := &comparison{
		before: numbered(before), after: numbered(after),
		removed: make([]bool, len(before)), added: make([]bool, len(after)),
		forwards: make([]int, diagonals), backwards: make([]int, diagonals),
	}
	c.compare(0, len(before), 0, len(after))
	return c
}

// pairs returns the aligned lines.
func (c *comparison) pairs() []Pair {
	out := make([]Pair, 0, max(len(c.before), len(c.after)))
	for x, y := 0, 0; x < len(c.before) || y < len(c.after); {
		switch {
		case x < len(c.before) && c.removed[x]:
			out = append(out, Pair{x, -1})
			x++
		case y < len(c.after) && c.added[y]:
			out = append(out, Pair{-1, y})
			y++
		default:
			out = append(out, Pair{x, y})
			x++
			y++
		}
	}
	return out
}

// compare marks the lines between two points that are not in the common subsequence.
func (c *comparison) compare(x, xEnd, y, yEnd int) {
	for x < xEnd && y < yEnd && c.before[x] == c.after[y] {
		x++
		y++
	}
	for x < xEnd && y < yEnd && c.before[xEnd-1] == c.after[yEnd-1] {
		xEnd--
		yEnd--
	}
	if x == xEnd || y == yEnd {
		for ; x < xEnd; x++ {
			c.removed[x] = true
		}
		for ; y < yEnd; y++ {
			c.added[y] = true
		}
		return
	}
	xMid, yMid := c.middle(x, xEnd, y, yEnd)
	c.compare(x, xMid, y, yMid)
	c.compare(xMid, xEnd, yMid, yEnd)
}

// middle returns a point on the way with the fewest differences between two points: where the ways from both ends meet.
// If the ends are too many differences apart, it returns the farthest point that was reached from one of them.
// The lines next to either end differ.
func (c *comparison) middle(x, xEnd, y, yEnd int) (int, int) {
	zero := len(c.after) + 1 // the index of diagonal 0
	first, last := x-yEnd, xEnd-y
	forward := span{x - y, x - y}
	backward := span{xEnd - yEnd, xEnd - yEnd}
	odd := (forward.least-backward.least)%2 != 0 // the ways then meet after a step from the start
	c.forwards[zero+x-y], c.backwards[zero+xEnd-yEnd] = x, xEnd
	for effort := 1; ; effort++ {
		forward.widen(first, last, c.forwards[zero+first-1:], -1)
		for k := forward.most; k >= forward.least; k -= 2 {
			px := max(c.forwards[zero+k-1]+1, c.forwards[zero+k+1])
			for px < xEnd && px-k < yEnd && c.before[px] == c.after[px-k] {
				px++
			}
			c.forwards[zero+k] = px
			if odd && backward.has(k) && c.backwards[zero+k] <= px {
				return px, px - k
			}
		}
		backward.widen(first, last, c.backwards[zero+first-1:], math.MaxInt)
		for k := backward.most; k >= backward.least; k -= 2 {
			px := min(c.backwards[zero+k-1], c.backwards[zero+k+1]-1)
			for px > x && px-k > y && c.before[px-1] == c.after[px-k-1] {
				px--
			}
			c.backwards[zero+k] = px
			if !odd && forward.has(k) && px <= c.forwards[zero+k] {
				return px, px - k
			}
		}
		if effort == maxEffort {
			return c.farthest(x, xEnd, y, yEnd, forward, backward)
		}
	}
}

// farthest returns the point between two points that is farthest from the end from which it was reached.
func (c *comparison) farthest(x, xEnd, y, yEnd int, forward, backward span) (int, int) {
	zero := len(c.after) + 1
	fx, fy := x, y
	for k := forward.least; k <= forward.most; k += 2 {
		px := min(c.forwards[zero+k], xEnd, yEnd+k)
		if px+px-k > fx+fy {
			fx, fy = px, px-k
		}
	}
	bx, by := xEnd, yEnd
	for k := backward.least; k <= backward.most; k += 2 {
		px := max(c.backwards[zero+k], x, y+k)
		if px+px-k < bx+by {
			bx, by = px, px-k
		}
	}
	if fx+fy-x-y >= xEnd+yEnd-bx-by {
		return fx, fy
	}
	return bx, by
}

// span is a range of diagonals, of which every second one has been reached.
type span struct{ least, most int }

func (s span) has(diagonal int) bool { return s.least <= diagonal && diagonal <= s.most }

// widen adds a diagonal on each side, except beyond the first and the last one. reached has the places by diagonal,
// beginning before the first one; those next to the span become none.
func (s *span) widen(first, last int, reached []int, none int) {
	if s.least > first {
		s.least--
		reached[s.least-first] = none
	} else {
		s.least++
	}
	if s.most < last {
		s.most++
		reached[s.most-first+2] = none
	} else {
		s.most--
	}
}
