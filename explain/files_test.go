package explain_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// documentsOf parses the files that match a pattern, one document each.
func documentsOf(t testing.TB, pattern string) []document.Value {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	var list []document.Value
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := document.ParseYAML(text, document.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, doc.Root)
	}
	return list
}
