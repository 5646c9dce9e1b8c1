package linediff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAlignKeepsItemsTogether checks that the lines that were added or removed are those
// of a list item, although its last lines are the same as those of the item before it.
func TestAlignKeepsItemsTogether(t *testing.T) {
	const web = `- image: web
  policy: Always
  name: web
  resources: {}
`
	const proxy = `- image: proxy
  policy: Always
  name: proxy
  resources: {}
`
	const first, second, third = "- effect: NoSchedule\n  key: a\n  operator: Exists\n", "- effect: NoSchedule\n  key: b\n  operator: Exists\n", "- effect: NoSchedule\n  key: c\n  operator: Exists\n"
	for _, c := range []struct {
		why           string
		before, after string
		want          string
	}{
		{"the last of two items is removed", "generation: 1\ncontainers:\n" + web + proxy + "dnsPolicy: Default\n", "generation: 2\ncontainers:\n" + web + "dnsPolicy: Default\n", proxy},
		{"the first of two items is removed", "generation: 1\ncontainers:\n" + web + proxy, "generation: 2\ncontainers:\n" + proxy, web},
		{"an item is added at the end", "generation: 1\ncontainers:\n" + web + "dnsPolicy: Default\n", "generation: 2\ncontainers:\n" + web + proxy + "dnsPolicy: Default\n", proxy},
		{"an item is added between two whose first and last lines are the same", "generation: 1\n" + first + third, "generation: 2\n" + first + second + third, second},
		{"an item is removed between two whose first and last lines are the same", first + second + third, first + third, second},
		{"an equal item is added", "a:\n" + web + "b: 1\n", "a:\n" + web + web + "b: 1\n", web},
		{"a field is removed, and the next one differs", "a: 1\nb: 2\nc: 3\n", "a: 1\nc: 4\n", "b: 2\nc: 3\nc: 4\n"},
		{"all lines are the same", web, web, ""},
		{"all lines are added", "", web, web},
	} {
		before, after := strings.SplitAfter(c.before, "\n"), strings.SplitAfter(c.after, "\n")
		var removed, added string
		var left, right []string
		for _, p := range Align(before, after) {
			if p.Before >= 0 {
				left = append(left, before[p.Before])
			}
			if p.After >= 0 {
				right = append(right, after[p.After])
			}
			switch {
			case p.After < 0 && !strings.HasPrefix(before[p.Before], "generation"):
				removed += before[p.Before]
			case p.Before < 0 && !strings.HasPrefix(after[p.After], "generation"):
				added += after[p.After]
			case p.Before >= 0 && p.After >= 0 && before[p.Before] != after[p.After]:
				t.Errorf("%s: %q is paired with %q", c.why, before[p.Before], after[p.After])
			}
		}
		if got := removed + added; got != c.want {
			t.Errorf("%s: the lines are\n%swant\n%s", c.why, got, c.want)
		}
		if !slices.Equal(left, before) || !slices.Equal(right, after) {
			t.Errorf("%s: the pairs are not all lines in their order", c.why)
		}
	}
}

// TestAlignAllLines compares random texts of few different lines, so that most blocks
// could be in several places.
func TestAlignAllLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		out := make([]string, random.IntN(12))
		for i := range out {
			out[i] = []string{"- a", "  b", "", "  c"}[random.IntN(4)]
		}
		return out
	}
	for range 20_000 {
		before, after := text(), text()
		left, right := 0, 0
		for _, p := range Align(before, after) {
			if p.Before >= 0 && p.Before != left || p.After >= 0 && p.After != right {
				t.Fatalf("%q and %q: the lines are not in their order", before, after)
			}
			if p.Before >= 0 {
				left++
			}
			if p.After >= 0 {
				right++
			}
			if p.Before >= 0 && p.After >= 0 && before[p.Before] != after[p.After] {
				t.Fatalf("%q and %q: %q is paired with %q", before, after, before[p.Before], after[p.After])
			}
		}
		if left != len(before) || right != len(after) {
			t.Fatalf("%q and %q: %d and %d lines are left out", before, after, len(before)-left, len(after)-right)
		}
	}
}
