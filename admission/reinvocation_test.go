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
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
	"github.com/patchlab-dev/patchlab/plugins"
)

// TestPluginsRunBeforeTheSecondRound checks that a webhook with the policy IfNeeded is called again, with the
// result, if the plugins change what it has set, and that one with Never is not.
func TestPluginsRunBeforeTheSecondRound(t *testing.T) {
	for policy, want := range map[string][]string{
		"IfNeeded": {"", "high"},
		"Never":    {""},
	} {
		t.Run(policy, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string // the class at each call of the webhook
			hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var review struct {
					Request struct {
						UID    string `json:"uid"`
						Object struct {
							Spec struct {
								PriorityClassName string `json:"priorityClassName"`
								Priority          *int   `json:"priority"`
							} `json:"spec"`
						} `json:"object"`
					} `json:"request"`
				}
				if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
					t.Error(err)
				}
				spec := review.Request.Object.Spec
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, spec.PriorityClassName)
				response := map[string]any{"uid": review.Request.UID, "allowed": true}
				if spec.PriorityClassName == "" {
					response["patchType"] = "JSONPatch"
					response["patch"] = []byte(`[{"op":"add","path":"/spec/priorityClassName","value":"high"},{"op":"remove","path":"/spec/priority"}]`)
				} else if spec.Priority == nil || *spec.Priority != 7 {
					t.Errorf("the second call has priority %v, want that of the class", spec.Priority)
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
			}))
			defer hook.Close()
			var config cluster.Config
			if err := admission.Configure(&config, admission.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := plugins.Configure(&config, []string{"Priority"}); err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(config)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := create(c, "scheduling.k8s.io", "v1", "priorityclasses", "", `{"metadata":{"name":"high"},"value":7}`); err != nil {
				t.Fatal(err)
			}
			if _, err := create(c, "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "", `{"metadata":{"name":"w"},"webhooks":[{
				"name":"w.example.com","clientConfig":{"url":"`+hook.URL+`","caBundle":"`+hooks.CABundle(hook)+`"},"reinvocationPolicy":"`+policy+`","sideEffects":"None",
				"admissionReviewVersions":["v1"],"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}`); err != nil {
				t.Fatal(err)
			}
			response, err := create(c, "", "v1", "pods", "d", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(seen, want) {
				t.Errorf("the webhook was called with the classes %q, want %q", seen, want)
			}
			if got := response.Object.Lookup("spec", "priority"); !document.Equal(got, document.NewInt(7)) {
				t.Errorf("priority %s, want that of the class", got)
			}
		})
	}
}
