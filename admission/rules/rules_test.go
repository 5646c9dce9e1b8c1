package rules_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/patchlab-dev/patchlab/admission/rules"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/playground"
	"github.com/patchlab-dev/patchlab/schema"
)

const ranges = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ranges.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ranges, kind: Range}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {min: {type: integer}, max: {type: integer}}
            x-kubernetes-validations:
            - {rule: RULE, message: min must not exceed max}
`

// TestPlaygroundEvaluatesRules asks the playground's engine, with and without rules, for
// the result of applying an object that a rule refuses.
func TestPlaygroundEvaluatesRules(t *testing.T) {
	refused := `Range.example.com "r" is invalid: spec: Invalid value: min must not exceed max`
	for _, c := range []struct {
		name, rule, spec string
		engine           *playground.Engine
		refusal          string
		notRun           int
	}{
		{"a rule that does not hold", "self.min <= self.max", "{min: 3, max: 2}", playground.NewWithRules(rules.New()), refused, 0},
		{"a rule that holds", "self.min <= self.max", "{min: 3, max: 3}", playground.NewWithRules(rules.New()), "", 0},
		{"a rule that does not compile", "self.min <", "{min: 3, max: 3}", playground.NewWithRules(rules.New()), "rule compile error", 0},
		{"without CEL", "self.min <= self.max", "{min: 3, max: 2}", playground.New(), "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := "apiVersion: example.com/v1\nkind: Range\nmetadata: {name: r}\nspec: " + c.spec + "\n"
			request, err := json.Marshal(map[string]any{"call": "run", "input": playground.RunInput{At: 1, Scenario: playground.Scenario{
				Definitions: []string{strings.Replace(ranges, "RULE", c.rule, 1)},
				Steps:       []playground.Step{{Actor: "a", Do: "apply", Body: object}},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			var answer struct{ Output playground.RunOutput }
			if err := json.Unmarshal(c.engine.Handle(request), &answer); err != nil || len(answer.Output.Steps) != 1 {
				t.Fatalf("%d steps, %v", len(answer.Output.Steps), err)
			}
			message := answer.Output.Steps[0].Message
			if !strings.Contains(message, c.refusal) || c.refusal == "" && message != "" {
				t.Errorf("refusal %q, want %q", message, c.refusal)
			}
			if got := answer.Output.RulesNotRun; got != c.notRun {
				t.Errorf("%d rules were not run, want %d", got, c.notRun)
			}
		})
	}
}

// TestRulesKeepNoKinds evaluates the rules of 20 definitions that are dropped then, as those of deleted
// definitions are, and checks that their kinds are collected, and with them the compiled rules. A server that
// runs for long would otherwise grow with each definition.
func TestRulesKeepNoKinds(t *testing.T) {
	r := rules.New()
	evaluate := func(group string) weak.Pointer[schema.Kind] {
		crd, err := schema.FromCRD(parse(t, strings.NewReplacer("RULE", "self.min <= self.max", "example.com", group).Replace(ranges)))
		if err != nil {
			t.Fatal(err)
		}
		object := parse(t, "{apiVersion: "+group+"/v1, kind: Range, metadata: {name: r}, spec: {min: 3, max: 2}}")
		if causes, _ := r.Object(t.Context(), crd, crd.Kinds[0], object, document.Value{}); len(causes) != 1 {
			t.Fatalf("%d causes, want 1", len(causes))
		}
		return weak.Make(crd.Kinds[0])
	}
	kinds := make([]weak.Pointer[schema.Kind], 20)
	for i := range kinds {
		kinds[i] = evaluate(fmt.Sprintf("dropped%d.example.com", i))
	}
	runtime.GC()
	for i, kind := range kinds {
		if kind.Value() != nil {
			t.Errorf("the kind of definition %d is kept", i)
		}
	}
	runtime.KeepAlive(r)
}

func parse(t *testing.T, text string) document.Value {
	t.Helper()
	doc, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

// TestPackageDoesNotLinkClientGo verifies that the package can be linked without client-go, which would
// triple the size of the playground's module.
func TestPackageDoesNotLinkClientGo(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.Lines(string(list)) {
		if strings.HasPrefix(pkg, "k8s.io/client-go/") {
			t.Errorf("imports %s", strings.TrimSpace(pkg))
		}
	}
}
