package examples_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is the maximum length of an example without imports and output.
const maxLines = 40

// TestExamplesAreShort counts the lines of each example without the comment at its top,
// imports, empty lines and lines that print.
func TestExamplesAreShort(t *testing.T) {
	files, err := filepath.Glob("*/main.go")
	if err != nil || len(files) != 10 {
		t.Fatalf("%d examples (%v), want 10", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(text, formatted) {
			t.Errorf("%s is not formatted (%v)", file, err)
		}
		_, body, _ := strings.Cut(string(text), "\n)\n") // after the imports
		lines := 0
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "fmt.Print") && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		if lines > maxLines {
			t.Errorf("%s has %d lines, want %d at most", file, lines, maxLines)
		}
	}
}
