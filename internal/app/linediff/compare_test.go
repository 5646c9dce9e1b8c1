package linediff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// equalLines returns the number of pairs of equal lines.
func equalLines(pairs []Pair) int {
	n := 0
	for _, p := range pairs {
		if p.Before >= 0 && p.After >= 0 {
			n++
		}
	}
	return n
}

// longestCommon returns the length of the longest common subsequence, by a table of all prefixes.
func longestCommon(before, after []string) int {
	row := make([]int, len(after)+1)
	for _, b := range before {
		diagonal := 0
		for j, a := range after {
			above := row[j+1]
			if a == b {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(after)]
}

// TestAlignFindsTheLongest compares the number of equal lines with that of a longest common subsequence. Texts of
// few different lines have many of them, and those of many have none where they differ.
func TestAlignFindsTheLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		different := 1 + random.IntN(30)
		text := func() []string {
			out := make([]string, random.IntN(80))
			for i := range out {
				out[i] = fmt.Sprint(random.IntN(different))
			}
			return out
		}
		before, after := text(), text()
		if random.IntN(2) == 0 { // a change within the first text
			at := random.IntN(len(before) + 1)
			after = slices.Concat(before[:at], after, before[at:])
		}
		if got, want := equalLines(Align(before, after)), longestCommon(before, after); got != want {
			t.Fatalf("%q and %q: %d lines are equal, want %d", before, after, got, want)
		}
	}
}

// TestAlignLongTexts aligns texts with more differences than are followed at once: a block is inserted into the schema
// of a CustomResourceDefinition, and nothing but some lines is common.
func TestAlignLongTexts(t *testing.T) {
	schema := func(from, to int) []string {
		var out []string
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf("field%d:\n", i), "  type: object\n", "  properties:\n", "    name:\n", "      type: string\n")
		}
		return out
	}
	before, block := schema(0, 4000), schema(9000, 13000)
	after := slices.Concat(before[:7777], block, before[7777:])
	if got := equalLines(Align(before, after)); got != len(before) {
		t.Errorf("a block is inserted: %d lines are equal, want %d", got, len(before))
	}
	random := rand.New(rand.NewPCG(5, 6))
	changed := slices.Clone(before)
	for range 3000 {
		changed[random.IntN(len(changed))] = "changed\n"
	}
	kept := 0
	for i := range before {
		if before[i] == changed[i] {
			kept++
		}
	}
	if got := equalLines(Align(before, changed)); got < kept*9/10 {
		t.Errorf("every seventh line is changed: %d lines are equal, want nearly %d", got, kept)
	}
	var other []string
	for i := range 200_000 {
		other = append(other, fmt.Sprintf("line %d\n", i%100_000))
	}
	pairs := Align(slices.Concat(other[:100_000], []string{"end\n"}), append(slices.Clone(before), "end\n"))
	if got := equalLines(pairs); got != 1 {
		t.Errorf("only the last line is common: %d lines are equal", got)
	}
}
