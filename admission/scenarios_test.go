package admission_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// TestScenariosCallNoWebhooks checks that running a scenario connects to no webhook: neither to
// that of a configuration which a step creates, nor to the conversion webhook of a definition.
// An object that is sent in another version than the stored one is refused instead.
func TestScenariosCallNoWebhooks(t *testing.T) {
	hook := httptest.NewUnstartedServer(http.NotFoundHandler())
	var connections atomic.Int32
	hook.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	hook.StartTLS()
	defer hook.Close()
	s, err := scenario.Parse([]byte(strings.ReplaceAll(`scenario: patchlab.dev/v1
definitions:
- |
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: things.example.com}
  spec:
    group: example.com
    names: {plural: things, kind: Thing}
    scope: Namespaced
    conversion:
      strategy: Webhook
      webhook: {conversionReviewVersions: [v1], clientConfig: {url: HOOK}}
    versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
    - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
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
      clientConfig: {url: HOOK}
      rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
      sideEffects: None
      admissionReviewVersions: [v1]
- actor: a
  do: create
  body: "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}}"
- actor: a
  do: create
  body: "{apiVersion: example.com/v2, kind: Thing, metadata: {name: thing}, spec: {color: red}}"
`, "HOOK", `"`+hook.URL+`/"`)), "")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := s.Begin(t.Context(), policies)
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"", "", "webhooks are not called here"}
	for i := range s.Steps {
		err := runner.Step(t.Context(), &s.Steps[i]).Err
		if (err == nil) != (wanted[i] == "") || err != nil && !strings.Contains(err.Error(), wanted[i]) {
			t.Errorf("step %d: the error is %v; wanted %q", i+1, err, wanted[i])
		}
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections to webhooks", n)
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
