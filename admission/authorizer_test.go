package admission_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
)

// TestPoliciesAskTheRoles checks that the variable authorizer of CEL expressions follows the roles in the
// cluster with Options.RBAC, and allows everything without.
func TestPoliciesAskTheRoles(t *testing.T) {
	objects := []string{
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"r"},"rules":[
			{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"],"verbs":["claim"]},
			{"apiGroups":["apps"],"resources":["deployments/scale"],"verbs":["get"]},{"nonResourceURLs":["/secret/*"],"verbs":["get"]}]}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},
			"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"ann"},{"kind":"ServiceAccount","namespace":"d","name":"robot"}]}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}}`,
	}
	policy := func(expression string) string {
		return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"failurePolicy":"Fail",
			"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},
			"validations":[{"expression":%q,"message":"the roles do not allow this"}]}}`, expression)
	}
	ann, bob, master := cluster.User{Name: "ann"}, cluster.User{Name: "bob"}, cluster.User{Name: "root", Groups: []string{"system:masters"}}
	const custom = "authorizer.group('').resource('configmaps').namespace('d').name('mine').check('claim').allowed()"
	cases := []struct {
		name, expression string
		user             cluster.User
		denied           bool
	}{
		{"a verb of its own that a role allows", custom, ann, false},
		{"that no role allows", custom, bob, true},
		{"that a group allows", custom, master, false},
		{"another name", strings.Replace(custom, "mine", "other", 1), ann, true},
		{"a subresource", "authorizer.group('apps').resource('deployments').subresource('scale').check('get').allowed()", ann, false},
		{"the resource without it", "authorizer.group('apps').resource('deployments').check('get').allowed()", ann, true},
		{"a path", "authorizer.path('/secret/a').check('get').allowed()", ann, false},
		{"a path that no role allows", "authorizer.path('/secret/a').check('get').allowed()", bob, true},
		{"the reason names the binding", `authorizer.path('/secret/a').check('get').reason().contains('ClusterRoleBinding "b"')`, ann, false},
		{"a service account", "authorizer.serviceAccount('d', 'robot').path('/secret/a').check('get').allowed()", bob, false},
		{"the requested resource", "authorizer.requestResource.check('claim').allowed()", bob, true},
	}
	for _, c := range cases {
		for _, byRoles := range []bool{true, false} {
			cl := newCluster(t, admission.Options{RBAC: byRoles}, append([]string{policy(c.expression)}, objects...)...)
			_, err := cl.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "d", User: c.user,
				Body: []byte(`{"metadata":{"name":"mine"}}`), Options: cluster.Options{FieldManager: "test"}})
			denied := err != nil && strings.Contains(err.Error(), "the roles do not allow this")
			want := byRoles && c.denied || !byRoles && strings.Contains(c.expression, "reason")
			if denied != want || err != nil && !denied {
				t.Errorf("%s, with RBAC %t: %v, want denied %t", c.name, byRoles, err, want)
			}
		}
	}
}
