package admission

import (
	"runtime"
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

// The environments of expressions take a millisecond and a megabyte to build. A webhook configuration
// needs one set of them, however many webhooks it has.
func TestWebhooksShareTheEnvironmentOfExpressions(t *testing.T) {
	const webhook = `{"name":"a.example.com","matchConditions":[{"name":"c","expression":"true"}]}`
	d, err := document.Parse([]byte(`{"webhooks":[`+strings.Repeat(webhook+",", 999)+webhook+`]}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if causes := expressionCauses("ValidatingWebhookConfiguration", d.Root, document.Value{}); len(causes) > 0 {
		t.Errorf("%v", causes[0])
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 200<<20 {
		t.Errorf("1,000 webhooks take %d MB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}
