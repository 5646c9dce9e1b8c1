package admission_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/scenario"
)

func policies(c *cluster.Config) error {
	return admission.Configure(c, admission.Options{NoWebhooks: true})
}

// TestScenariosWithPolicies checks that scenarios with CEL rules and policies meet
// their expectations. Without an admission plugin, the same requests are admitted and
// the rules and policies are counted as not run.
func TestScenariosWithPolicies(t *testing.T) {
	files, err := filepath.Glob("../testdata/policies/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d scenarios (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenario.Parse(text, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, with := range []bool{true, false} {
			configure := policies
			if !with {
				configure = nil
			}
			runner, err := s.Begin(t.Context(), configure)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if rules, policies := runner.NotRun(t.Context()); (rules+policies > 0) == with {
				t.Errorf("%s, with admission %t: %d rules and %d policies are reported as not run", file, with, rules, policies)
			}
			denied := 0
			for i := range s.Steps {
				res := runner.Step(t.Context(), &s.Steps[i])
				if res.Denied {
					denied++
				}
				for _, m := range s.Steps[i].Expect.Check(&res) {
					if with {
						t.Errorf("%s: step %d: %s", file, i+1, m)
					}
				}
			}
			if with != (denied >= 2) {
				t.Errorf("%s, run with admission %t: %d steps are denied", file, with, denied)
			}
		}
	}
}

// TestScenariosCallNoWebhooks checks that running a scenario calls no webhook, even if
// a step creates a webhook configuration.
func TestScenariosCallNoWebhooks(t *testing.T) {
	s, err := scenario.Parse([]byte(`scenario: patchlab.dev/v1
actors: [{name: a}]
steps:
- actor: a
  do: create
  body: |
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata: {name: w}
    webhooks:
    - name: w.example.com
      clientConfig: {url: "https://127.0.0.1:1/nobody"}
      rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
      sideEffects: None
      admissionReviewVersions: [v1]
- actor: a
  do: create
  body: "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}}"
`), "")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := s.Begin(t.Context(), policies)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Steps {
		if res := runner.Step(t.Context(), &s.Steps[i]); res.Err != nil {
			t.Errorf("step %d: %v", i+1, res.Err)
		}
	}
}

// TestScenariosRefuseInvalidPolicies checks that an invalid policy among a scenario's
// definitions is an error.
func TestScenariosRefuseInvalidPolicies(t *testing.T) {
	s := &scenario.Scenario{Definitions: []string{`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p.example.com}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.data.size( > 1"}]
`}}
	_, err := s.Begin(t.Context(), policies)
	if err == nil || !strings.Contains(err.Error(), "definition 1: ") || !strings.Contains(err.Error(), "spec.validations[0].expression") {
		t.Errorf("the error is %v", err)
	}
}
