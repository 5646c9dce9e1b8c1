package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

// namesKinds are the files of package cluster that name built-in kinds, with the
// reason.
var namesKinds = map[string]string{
	"admission.go":      "the namespace of a Namespace is its own name",
	"binding.go":        "a Binding changes a Pod",
	"authentication.go": "tokens may be bound to other objects",
	"eviction.go":       "an Eviction deletes a Pod that a PodDisruptionBudget may protect",
	"lifecycle.go":      "objects live in namespaces that have to exist",
	"resolve.go":        "bindings is a resource with an action and no objects",
	"secrettoken.go":    "the tokens of service accounts may be in Secrets",
	"token.go":          "tokens may be bound to other objects",
}

// TestPipelineKnowsNoKind: what differs between kinds in kube-apiserver is in package kinds;
// package cluster uses strategies and does not name kinds.
func TestPipelineKnowsNoKind(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for k := range schema.NewRegistry(catalog).Kinds() {
		if k.Resource != "" { // not those that only a subresource takes
			known[k.Kind], known[k.Resource] = true, true
		}
	}
	files, err := filepath.Glob("../../cluster/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && known[text] {
					found = text
				}
			}
			return true
		})
		switch why := namesKinds[name]; {
		case found != "" && why == "":
			t.Errorf("%s mentions %s: move code that depends on the kind to package kinds", name, found)
		case found == "" && why != "":
			t.Errorf("%s names no kind: remove it from the exceptions", name)
		}
	}
}
