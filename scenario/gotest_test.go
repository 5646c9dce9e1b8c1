package scenario_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
)

// TestGoTestHasAPackage: a test in a package whose name is not valid would not compile.
func TestGoTestHasAPackage(t *testing.T) {
	s := &scenario.Scenario{Title: "2 managers: \"a\""}
	for _, name := range []string{"shop", "shop_test", "_a", "é1", "", "_", "my-tests", "a b", "1st", "func", "a\nimport", "a.b", "\xff"} {
		text, err := scenario.GoTest(s, nil, name)
		if valid := token.IsIdentifier(name) && name != "_"; valid != (err == nil) {
			t.Errorf("package %q: %v, want valid: %v", name, err, valid)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "not the name of a Go package") {
				t.Errorf("package %q: %v", name, err)
			}
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, parser.AllErrors); err != nil {
			t.Errorf("package %q: %v", name, err)
		}
	}
}

// TestGoTestOfInvalidUTF8: the texts of a scenario may have bytes that Go does not allow in raw strings
// and comments.
func TestGoTestOfInvalidUTF8(t *testing.T) {
	s := &scenario.Scenario{Title: "Bytes", About: "A mark \ufeff and a byte \xff.", Steps: []scenario.Step{{Actor: "a", Do: scenario.Apply, Body: "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"\xff\"}}"}}}
	results, err := scenario.Run(t.Context(), s)
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results)
	}
	text, err := scenario.GoTest(s, results, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", text, parser.SkipObjectResolution); err != nil {
		t.Error(err)
	}
}
