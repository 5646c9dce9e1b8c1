package admission_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

// TestRuleForUnservedVersion checks that a rule of a webhook for a version of a custom resource that is not served
// applies to writes in the other versions, as in kube-apiserver 1.36.3, which sends the object in the version of the rule.
func TestRuleForUnservedVersion(t *testing.T) {
	for policy, want := range map[string][]string{"Equivalent": {"example.com/v1beta1"}, "Exact": nil} {
		t.Run(policy, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string // the version of the object at each call of the webhook
			hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var review struct {
					Request struct {
						UID    string `json:"uid"`
						Object struct {
							APIVersion string `json:"apiVersion"`
						} `json:"object"`
					} `json:"request"`
				}
				if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, review.Request.Object.APIVersion)
				_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
					"response": map[string]any{"uid": review.Request.UID, "allowed": true}})
			}))
			defer hook.Close()
			var config cluster.Config
			if err := admission.Configure(&config, admission.Options{}); err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(config)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			version := func(name, served string) string {
				return `{"name":"` + name + `","served":` + served + `,"storage":` + served + `,"schema":{"openAPIV3Schema":{"type":"object"}}}`
			}
			if _, err := create(c, "apiextensions.k8s.io", "v1", "customresourcedefinitions", "", `{"metadata":{"name":"boxes.example.com"},"spec":{"group":"example.com",
				"scope":"Namespaced","names":{"kind":"Box","plural":"boxes"},"versions":[`+version("v1", "true")+`,`+version("v1beta1", "false")+`]}}`); err != nil {
				t.Fatal(err)
			}
			if _, err := create(c, "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "", `{"metadata":{"name":"w"},"webhooks":[{
				"name":"w.example.com","clientConfig":{"url":"`+hook.URL+`","caBundle":"`+hooks.CABundle(hook)+`"},"matchPolicy":"`+policy+`","sideEffects":"None",
				"admissionReviewVersions":["v1"],"rules":[{"apiGroups":["example.com"],"apiVersions":["v1beta1"],"operations":["CREATE"],"resources":["boxes"]}]}]}`); err != nil {
				t.Fatal(err)
			}
			if _, err := create(c, "example.com", "v1", "boxes", "d", `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"b"}}`); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(seen, want) {
				t.Errorf("the webhook was called with objects in %q, want %q", seen, want)
			}
		})
	}
}
