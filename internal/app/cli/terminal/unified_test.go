package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUnifiedOfLineEnds checks the headers and lines of texts that are empty or do not end in a line feed, as
// diff -u of GNU diffutils 3.8 prints them.
func TestUnifiedOfLineEnds(t *testing.T) {
	for _, c := range []struct{ why, before, after, want string }{
		{"equal texts", "a\n", "a\n", ""},
		{"the first text is empty", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"the second text is empty", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a line feed is added at the end", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"neither text has a line feed at the end", "a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- x\n+++ y\n" + want
		}
		if got := Unified("x", "y", c.before, c.after); got != want {
			t.Errorf("%s: the diff is\n%swant\n%s", c.why, got, want)
		}
	}
}

// changedLines returns the lines of a diff that only one text has, without their signs and those of generation.
func changedLines(diff string) string {
	var out strings.Builder
	for i, line := range slices.Collect(strings.Lines(diff)) {
		if i > 1 && (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line[1:], "generation") {
			out.WriteString(line[1:])
		}
	}
	return out.String()
}

// TestUnifiedKeepsItemsTogether checks that the lines that were added or removed are those
// of a list item, although its last lines are the same as those of the item before it.
func TestUnifiedKeepsItemsTogether(t *testing.T) {
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
	} {
		if got := changedLines(Unified("x", "y", c.before, c.after)); got != c.want {
			t.Errorf("%s: the lines are\n%swant\n%s", c.why, got, c.want)
		}
	}
}

// TestUnifiedOfSchemas compares two versions of the schema of a CustomResourceDefinition. Most of their lines are the
// same as many others, and an algorithm that gives up early reports nearly all lines as changed.
func TestUnifiedOfSchemas(t *testing.T) {
	schema := func(from, to int) string {
		var out strings.Builder
		for i := range to - from {
			fmt.Fprintf(&out, "field%d:\n  type: object\n  properties:\n    name:\n      type: string\n", from+i)
		}
		return out.String()
	}
	before, block, rest := schema(0, 1500), schema(9000, 13000), schema(1500, 4000)
	if got := changedLines(Unified("x", "y", before+rest, before+block+rest)); got != block {
		t.Errorf("%d lines are changed, and not only the %d that were inserted", strings.Count(got, "\n"), strings.Count(block, "\n"))
	}
}
