package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

func TestSplitFile(t *testing.T) {
	for _, c := range []struct {
		why, text string
		heads     []string
		bodies    []string
		starts    []int
	}{
		{"an empty file", "", []string{""}, []string{""}, []int{1}},
		{"one document", "a: 1\nb: 2", []string{""}, []string{"a: 1\nb: 2"}, []int{1}},
		{"a separator first", "---\na: 1\n", []string{"", "---\n"}, []string{"", "a: 1\n"}, []int{1, 2}},
		{"separators with a comment, spaces and Windows line ends", "# c\n--- # one\na: 1\r\n---  \r\nb: 2\n---\n",
			[]string{"", "--- # one\n", "---  \r\n", "---\n"}, []string{"# c\n", "a: 1\r\n", "b: 2\n", ""}, []int{1, 3, 5, 7}},
		{"an indented line is text", "a: |\n  ---\n", []string{""}, []string{"a: |\n  ---\n"}, []int{1}},
	} {
		f := splitFile("f.yaml", c.text)
		if !slices.Equal(f.heads, c.heads) || !slices.Equal(f.bodies, c.bodies) || !slices.Equal(f.starts, c.starts) {
			t.Errorf("%s: heads %q, bodies %q, starts %v", c.why, f.heads, f.bodies, f.starts)
		}
		if joined := f.text(f.bodies, nil); joined != c.text {
			t.Errorf("%s: joined to %q", c.why, joined)
		}
	}
}

// TestResolveJoinsFiles checks that the documents of files without a last line end stay apart.
func TestResolveJoinsFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"live.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, uid: u}\n",
		"a.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}",
		"b.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := runApp("resolve", "live.yaml", "-f", "a.yaml", "-f", "b.yaml", "--drop", "all", "-q")
	want := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
	if code != program.ExitDone || out != want {
		t.Errorf("exit code %d, %s\ngot:\n%s\nwant:\n%s", code, errs, out, want)
	}
}

// TestSplitFileAllocates checks that the cost of splitting a file does not grow with the square
// of its lines: bodies are parts of the text, not copies.
func TestSplitFileAllocates(t *testing.T) {
	text := strings.Repeat("  key: value\n", 10_000)
	if n := testing.AllocsPerRun(10, func() { splitFile("f.yaml", text) }); n > 20 {
		t.Errorf("%v allocations for one document", n)
	}
}
