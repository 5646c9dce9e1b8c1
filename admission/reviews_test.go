package admission_test

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
)

// TestReviewsReachNoWebhookFrom137: until Kubernetes 1.36, a webhook for all resources is called
// for access reviews as well, and can refuse them.
func TestReviewsReachNoWebhookFrom137(t *testing.T) {
	for _, kind := range [...]string{"Validating", "Mutating"} {
		for version, refused := range map[string]bool{"1.36": true, "1.37": false} {
			webhooks := startHooks(t)
			c := configured(t, cluster.Config{Version: version}, admission.Options{})
			path := map[string]string{"Validating": "/v/deny", "Mutating": "/m/deny"}[kind]
			_, err := create(c, "admissionregistration.k8s.io", "v1", strings.ToLower(kind)+"webhookconfigurations", "", webhooks.Fill(`{"metadata":{"name":"all"},
				"webhooks":[{"name":"all.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"$HOOK$`+path+`","caBundle":"$CA$"},
				"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"operations":["*"]}]}]}`))
			if err != nil {
				t.Fatal(err)
			}
			_, err = create(c, "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "", `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`)
			if (err != nil) != refused {
				t.Errorf("%s, %s: an access review: %v, want it refused: %v", version, kind, err, refused)
			}
			if _, err := create(c, "", "v1", "configmaps", "default", `{"metadata":{"name":"m"}}`); err == nil {
				t.Errorf("%s, %s: the webhook was not called for a ConfigMap", version, kind)
			}
		}
	}
}
