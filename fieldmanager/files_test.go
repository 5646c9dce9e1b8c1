package fieldmanager_test

import (
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// readYAML parses the documents of a file.
func readYAML(t testing.TB, file string) []document.Value {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := document.Read(data, document.Options{Name: file})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]document.Value, len(docs))
	for i, d := range docs {
		out[i] = d.Root
	}
	return out
}
