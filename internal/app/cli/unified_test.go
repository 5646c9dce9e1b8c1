package cli

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestUnified applies diffs between random texts strictly: each hunk has to begin where its header says,
// in both texts.
func TestUnified(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	}
	several := 0
	for range 3000 {
		var before, after []string
		for i := range random.IntN(60) {
			line := fmt.Sprintf("%d: %d", i/2, random.IntN(3))
			switch random.IntN(12) {
			case 0:
				before = append(before, line)
			case 1:
				after = append(after, line)
			case 2:
				before, after = append(before, line), append(after, line+"'", "-- more")
			default:
				before, after = append(before, line), append(after, line)
			}
		}
		diff := unified("a", "b", text(before), text(after))
		if strings.Count(diff, "\n@@ ") > 1 {
			several++
		}
		if got, err := applied(text(before), diff); err != nil || got != text(after) {
			t.Fatalf("%v: the diff\n%s\nof\n%s\nresults in\n%s\nand not in\n%s", err, diff, text(before), got, text(after))
		}
	}
	if several < 500 {
		t.Errorf("only %d diffs have several hunks", several)
	}
}

// applied applies a unified diff to a text.
func applied(text, diff string) (string, error) {
	if diff == "" {
		return text, nil
	}
	rest := strings.SplitAfter(text, "\n")
	rest = rest[:len(rest)-1]
	var out []string
	read := 0
	begins := func(header string, want int) error {
		first, count, _ := strings.Cut(header[1:], ",")
		n, err := strconv.Atoi(first)
		if err == nil && count != "0" && n != want+1 {
			err = fmt.Errorf("a hunk begins at %s and not at line %d", header, want+1)
		}
		return err
	}
	for i, line := range strings.SplitAfter(diff, "\n") {
		switch {
		case i < 2 || line == "":
		case strings.HasPrefix(line, "@@ "):
			header := strings.Fields(line)
			first, _, _ := strings.Cut(header[1][1:], ",")
			n, err := strconv.Atoi(first)
			if err != nil {
				return "", err
			}
			for read < n-1 {
				out, rest, read = append(out, rest[0]), rest[1:], read+1
			}
			if err := begins(header[2], len(out)); err != nil {
				return "", err
			}
		case line[0] == '+':
			out = append(out, line[1:])
		case rest[0] != line[1:]:
			return "", fmt.Errorf("line %d is %q and not %q", read+1, rest[0], line[1:])
		default:
			if line[0] == ' ' {
				out = append(out, rest[0])
			}
			rest, read = rest[1:], read+1
		}
	}
	return strings.Join(append(out, rest...), ""), nil
}

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
		if got := unified("x", "y", c.before, c.after); got != want {
			t.Errorf("%s: the diff is\n%swant\n%s", c.why, got, want)
		}
	}
}
