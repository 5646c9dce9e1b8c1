package cli

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
)

// TestObjectPrinter: JSON is what indenting the object, or a List of the objects, yields.
func TestObjectPrinter(t *testing.T) {
	const object = "{\n    \"a\": [\n        1\n    ],\n    \"b\": {}\n}\n"
	const item = "        {\n            \"a\": [\n                1\n            ],\n            \"b\": {}\n        }"
	list := func(items string) string {
		return "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n" + items + "\n    ],\n    \"kind\": \"List\"\n}\n"
	}
	doc, err := document.Parse([]byte(`{"a":[1],"b":{}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", object, list(item + ",\n" + item), list(item + ",\n" + item + ",\n" + item)} {
		objects := make([]document.Value, i)
		for j := range objects {
			objects[j] = doc.Root
		}
		if got := string(results.Encode("json", objects)); got != want {
			t.Errorf("%d objects:\n%s\nwant\n%s", i, got, want)
		}
	}
	for i, want := range []string{"", "a:\n- 1\nb: {}\n", "a:\n- 1\nb: {}\n---\na:\n- 1\nb: {}\n"} {
		if got := string(results.Encode("yaml", []document.Value{doc.Root, doc.Root}[:i])); got != want {
			t.Errorf("%d objects:\n%s\nwant\n%s", i, got, want)
		}
	}
}
