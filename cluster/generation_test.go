package cluster_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// An empty list or map that a write sends increments the generation of resources whose
// strategies compare exactly, each time; the generations are those of kube-apiserver 1.36.3
// after the same writes.
func TestGenerationOfEmptyLists(t *testing.T) {
	const policies, hooks = "/apis/networking.k8s.io/v1/namespaces/n/networkpolicies", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	const policy = `{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"a"},"spec":{`
	q := newRequests(t, cluster.Config{})
	q.do(cluster.Create, policies, policy+`"podSelector":{}}}`)
	q.do(cluster.Create, hooks, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"a"},
		"webhooks":[{"name":"a.b.c","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"url":"https://x.example/"},
		"rules":[{"apiGroups":["zz"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["x"]}]}]}`)
	for _, c := range []struct {
		verb       cluster.Verb
		path, body string
		format     cluster.Format
		want       int64
	}{
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"ingress":[]}}`, cluster.JSON, 2},
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"ingress":null}}`, cluster.JSON, 2},
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"egress":[]}}`, cluster.JSON, 3},
		{cluster.Update, policies + "/a", policy + `"podSelector":{"matchLabels":{}}}}`, cluster.JSON, 4},
		{cluster.Update, policies + "/a", policy + `"podSelector":{"matchExpressions":[]}}}`, cluster.JSON, 5},
		{cluster.Update, policies + "/a", policy + `"podSelector":{}}}`, cluster.JSON, 5},
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"ingress":[{}]}}`, cluster.JSON, 6},
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"ingress":[{"ports":[],"from":[]}]}}`, cluster.JSON, 7},
		{cluster.Update, policies + "/a", policy + `"podSelector":{},"ingress":[{}]}}`, cluster.JSON, 7},
		{cluster.Patch, policies + "/a", `{"spec":{"ingress":[]}}`, cluster.MergePatch, 8},
		{cluster.Patch, policies + "/a", `{"spec":{"ingress":null}}`, cluster.MergePatch, 8},
		{cluster.Patch, policies + "/a", `{"spec":{"podSelector":{"matchLabels":{}}}}`, cluster.StrategicPatch, 9},
		{cluster.Patch, policies + "/a", `{"metadata":{"labels":{"q":"1"}}}`, cluster.MergePatch, 9},
		{cluster.Patch, policies + "/b", policy[:len(policy)-len(`a"},"spec":{`)] + `b"},"spec":{"podSelector":{},"ingress":[]}}`, cluster.ApplyPatch, 1},
		{cluster.Patch, policies + "/b", policy[:len(policy)-len(`a"},"spec":{`)] + `b"},"spec":{"podSelector":{},"ingress":[]}}`, cluster.ApplyPatch, 2},
		{cluster.Patch, policies + "/b", policy[:len(policy)-len(`a"},"spec":{`)] + `b"},"spec":{"podSelector":{}}}`, cluster.ApplyPatch, 2},
		{cluster.Patch, hooks + "/a", `{"webhooks":[{"name":"a.b.c","matchConditions":[]}]}`, cluster.StrategicPatch, 2},
		{cluster.Patch, hooks + "/a", `{"webhooks":[{"name":"a.b.c","matchConditions":null}]}`, cluster.StrategicPatch, 2},
	} {
		response, st := q.do(c.verb, c.path, c.body, options(cluster.Options{FieldManager: "m"}), format(c.format))
		if st != nil {
			t.Errorf("%s: %s", c.body, st.Message)
		} else if got, _ := response.Object.Lookup("metadata", "generation").Int(); got != c.want {
			t.Errorf("%s: generation %d, want %d", c.body, got, c.want)
		}
	}
}
