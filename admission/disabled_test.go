package admission_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
)

// Each plugin refuses a ConfigMap, unless it is disabled.
func TestDisabledPluginsDoNotRun(t *testing.T) {
	constraints := `"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}`
	webhooks := `"webhooks":[{"name":"w.example.com","clientConfig":{"url":"https://127.0.0.1:1/nobody"},"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]`
	configurations := map[string][]string{
		"MutatingAdmissionPolicy": {
			"mutatingadmissionpolicies", `"spec":{` + constraints + `,"failurePolicy":"Fail","reinvocationPolicy":"Never",
				"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: \"test\", path: \"/data/a\", value: \"b\"}]"}}]}`,
			"mutatingadmissionpolicybindings", `"spec":{"policyName":"p"}`,
		},
		"MutatingAdmissionWebhook": {"mutatingwebhookconfigurations", webhooks},
		"ValidatingAdmissionPolicy": {
			"validatingadmissionpolicies", `"spec":{` + constraints + `,"validations":[{"expression":"false"}]}`,
			"validatingadmissionpolicybindings", `"spec":{"policyName":"p","validationActions":["Deny"]}`,
		},
		"ValidatingAdmissionWebhook": {"validatingwebhookconfigurations", webhooks},
	}
	for _, name := range admission.Plugins() {
		for _, disabled := range [][]string{nil, {name}, slices.DeleteFunc(admission.Plugins(), func(other string) bool { return other == name })} {
			c := newCluster(t, admission.Options{Disabled: disabled})
			for i := 0; i < len(configurations[name]); i += 2 {
				body := fmt.Sprintf(`{"metadata":{"name":"p"},%s}`, configurations[name][i+1])
				if _, err := create(c, "admissionregistration.k8s.io", "v1", configurations[name][i], "", body); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			_, err := create(c, "", "v1", "configmaps", "default", `{"metadata":{"name":"a"},"data":{"a":"c"}}`)
			if refused := err != nil; refused == slices.Contains(disabled, name) {
				t.Errorf("%s, with %q disabled: %v", name, disabled, err)
			}
		}
	}
}
