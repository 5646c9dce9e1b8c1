package admission_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/plugins"
)

// TestWritesOfTheServerHaveItsUser: the plugin ResourceQuota writes the usage of a quota as kube-apiserver, also to webhooks.
func TestWritesOfTheServerHaveItsUser(t *testing.T) {
	webhooks := startHooks(t)
	var config cluster.Config
	if err := admission.Configure(&config, admission.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := plugins.Configure(&config, []string{"ResourceQuota"}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, object := range [][3]string{
		{"", "namespaces", `{"metadata":{"name":"default"}}`},
		{"", "resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"count/configmaps":"3"}}}`},
		{"admissionregistration.k8s.io", "validatingwebhookconfigurations", webhooks.Fill(`{"metadata":{"name":"all"},"webhooks":[{"name":"all.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
			"clientConfig":{"url":"$HOOK$/v/allow","caBundle":"$CA$"},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["resourcequotas/status"],"operations":["*"]}]}]}`)},
		{"", "configmaps", `{"metadata":{"name":"m"}}`},
	} {
		namespace := "default"
		if object[1] == "namespaces" || object[0] != "" {
			namespace = ""
		}
		if _, err := create(c, object[0], "v1", object[1], namespace, object[2]); err != nil {
			t.Fatal(err)
		}
		if object[1] == "resourcequotas" {
			if _, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Patch, Format: cluster.MergePatch, Version: "v1", Resource: object[1], Namespace: namespace, Name: "q", Subresource: "status",
				Body: []byte(`{"status":{"hard":{"count/configmaps":"3"},"used":{"count/configmaps":"0"}}}`)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	reviews := webhooks.Take()
	if len(reviews) != 1 {
		t.Fatalf("%d reviews, want that of the usage", len(reviews))
	}
	user, _ := reviews[0].Review["request"].(map[string]any)["userInfo"].(map[string]any)
	if user["username"] != "system:apiserver" {
		t.Errorf("the user is %v, want that of the server", user)
	}
}
