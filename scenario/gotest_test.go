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
