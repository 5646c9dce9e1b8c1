package admission_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// TestDeviceSelectorsAreCompiled checks the selectors of each kind that has some.
func TestDeviceSelectorsAreCompiled(t *testing.T) {
	const class, claim, template = "deviceclasses", "resourceclaims", "resourceclaimtemplates"
	const (
		inClass    = `{"selectors":[{"cel":{"expression":EXPRESSION}}]}`
		inClaim    = `{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c","selectors":[{"cel":{"expression":EXPRESSION}}]}}]}}`
		inSubclaim = `{"devices":{"requests":[{"name":"a","firstAvailable":[{"name":"b","deviceClassName":"c","selectors":[{"cel":{"expression":EXPRESSION}}]}]}]}}`
	)
	costly := "true"
	for i := range 7 {
		costly = fmt.Sprintf("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x%d, %s)", i, costly)
	}
	for _, c := range []struct{ name, resource, spec, expression, field, message string }{
		{"a selector", class, inClass, `device.driver == "a.example.com"`, "", ""},
		{"capacity that can be shared, by default since 1.36", class, inClass, `device.allowMultipleAllocations == true`, "", ""},
		{"a blank expression", class, inClass, " ", "spec.selectors[0].cel.expression", "Syntax error"},
		{"an empty expression", class, inClass, "", "spec.selectors[0].cel.expression", "mismatched input '<EOF>'"},
		{"another type than a boolean", class, inClass, `device.driver`, "spec.selectors[0].cel.expression", "must evaluate to bool"},
		{"an unknown field", claim, inClaim, `device.name == "a"`, "spec.devices.requests[0].exactly.selectors[0].cel.expression", "undefined field 'name'"},
		{"an unknown field in an alternative", claim, inSubclaim, `device.name == "a"`, "spec.devices.requests[0].firstAvailable[0].selectors[0].cel.expression", "undefined field 'name'"},
		{"an unknown field in a template", template, `{"spec":` + inClaim + `}`, `device.name == "a"`, "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression", "undefined field 'name'"},
		{"a cost above the limit", class, inClass, costly, "spec.selectors[0].cel.expression", "too complex, exceeds cost limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := map[string]string{class: "DeviceClass", claim: "ResourceClaim", template: "ResourceClaimTemplate"}[c.resource]
			spec := strings.Replace(c.spec, "EXPRESSION", string(document.NewString(c.expression).JSON()), 1)
			body := `{"apiVersion":"resource.k8s.io/v1","kind":"` + kind + `","metadata":{"name":"x"},"spec":` + spec + `}`
			k := newCluster(t, admission.Options{})
			q := &cluster.Request{Verb: cluster.Create, Group: "resource.k8s.io", Version: "v1", Resource: c.resource, Body: []byte(body)}
			if c.resource != class {
				q.Namespace = "default"
			}
			_, err := k.Do(t.Context(), q)
			var causes []cluster.Cause
			if st, ok := err.(*cluster.Status); ok && st.Details != nil {
				causes = st.Details.Causes
			}
			switch {
			case c.field == "" && err != nil:
				t.Errorf("%v, want no error", err)
			case c.field != "" && (len(causes) != 1 || causes[0].Field != c.field || !strings.Contains(causes[0].Message, c.message)):
				t.Errorf("%v with causes %v, want %s: %s", err, causes, c.field, c.message)
			}
		})
	}
}
