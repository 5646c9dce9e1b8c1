package admission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
)

// Each plugin refuses a ConfigMap, unless it is disabled.
func TestDisabledPluginsDoNotRun(t *testing.T) {
	const group = "/apis/admissionregistration.k8s.io/v1/"
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
			var config cluster.Config
			if err := admission.Configure(&config, admission.Options{Disabled: disabled}); err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(config)
			if err != nil {
				t.Fatal(err)
			}
			create := func(group, version, resource, namespace, body string) error {
				_, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Group: group, Version: version, Resource: resource, Namespace: namespace, Body: []byte(body)})
				return err
			}
			for i := 0; i < len(configurations[name]); i += 2 {
				body := fmt.Sprintf(`{"metadata":{"name":"p"},%s}`, configurations[name][i+1])
				if err := create(strings.Split(group, "/")[2], "v1", configurations[name][i], "", body); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			err = create("", "v1", "configmaps", "default", `{"metadata":{"name":"a"},"data":{"a":"c"}}`)
			if refused := err != nil; refused == slices.Contains(disabled, name) {
				t.Errorf("%s, with %q disabled: %v", name, disabled, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
