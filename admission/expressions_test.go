package admission

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestVariablesOfPolicies: an expression knows the name variables only if the policy declares some, as in
// kube-apiserver 1.36.3.
func TestVariablesOfPolicies(t *testing.T) {
	for _, test := range []struct{ variables, want string }{
		{"", "undeclared reference to 'variables'"},
		{`"variables":[],`, "undeclared reference to 'variables'"},
		{`"variables":[{"name":"y","expression":"1"}],`, "undefined field 'x'"},
		{`"variables":[{"name":"x","expression":"true"}],`, ""},
	} {
		doc, err := document.Parse([]byte(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"a"},"spec":{`+
			test.variables+`"validations":[{"expression":"variables.x"}],"auditAnnotations":[{"key":"k","valueExpression":"string(variables.x)"}]}}`), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		causes := expressionCauses("ValidatingAdmissionPolicy", doc.Root, document.Value{})
		count := 2
		if test.want == "" {
			count = 0
		}
		if len(causes) != count {
			t.Errorf("%s: %v, want %d causes", test.variables, causes, count)
		}
		for _, c := range causes {
			if !strings.Contains(c.Message, test.want) {
				t.Errorf("%s: %s, want %s", test.variables, c.Message, test.want)
			}
		}
	}
}
