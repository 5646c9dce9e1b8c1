package admission_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
)

// policy returns a ValidatingAdmissionPolicy for ConfigMaps and its binding. variables
// alternates names and expressions.
func policy(expression string, variables ...string) []string {
	var list []string
	for i := 0; i < len(variables); i += 2 {
		list = append(list, fmt.Sprintf(`{"name":%q,"expression":%q}`, variables[i], variables[i+1]))
	}
	return []string{
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"failurePolicy":"Fail",
		"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},
		"variables":[` + strings.Join(list, ",") + `],"validations":[{"expression":` + fmt.Sprintf("%q", expression) + `}]}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}}`,
	}
}

// TestExpressionsEndAtTheirCost checks that evaluation of an expensive expression stops
// at kube-apiserver's cost limit and that the request is rejected. CRD rules have an
// estimated cost, which is checked at creation; the cost of a policy depends on the
// objects it evaluates.
func TestExpressionsEndAtTheirCost(t *testing.T) {
	const loop = "object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, a + b + c + d != ''))))"
	for name, objects := range map[string][]string{
		"loops in loops":              policy(loop),
		"matches of a large text":     policy("object.data.all(a, object.data.all(b, !object.data[a].matches('^(x+x+)+y$')))"),
		"a loop in a match condition": {matchCondition(loop), policy("true")[1]},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, admission.Options{}, append(objects, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`)...)
			body := large(200, 1000)
			before := allocated()
			_, err := create(c, "", "v1", "configmaps", "d", body)
			var status *cluster.Status
			if !errors.As(err, &status) || !strings.Contains(status.Message, "cost limit exceeded") {
				t.Errorf("got %v, want a refusal for the cost", err)
			}
			if mib := (allocated() - before) >> 20; mib > 512 {
				t.Errorf("%d MiB were allocated", mib)
			}
		})
	}
}

// matchCondition returns a policy that has the expression as its match condition.
func matchCondition(expression string) string {
	return strings.Replace(policy("true")[0], `"variables":[]`, `"matchConditions":[{"name":"m","expression":`+fmt.Sprintf("%q", expression)+`}]`, 1)
}

// large returns a ConfigMap with the given number of keys, each with a value of size
// characters.
func large(keys, size int) string {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{`)
	for i := range keys {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"k%d":%q`, i, strings.Repeat("x", size))
	}
	b.WriteString("}}")
	return b.String()
}

// allocated returns the total number of bytes allocated by the process.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestDoublingVariablesAreRefused checks that thirty variables that each double a list or a string
// are rejected. CEL assigns no cost to concatenation of values of unknown type, so
// without a size limit such a policy would exhaust memory.
func TestDoublingVariablesAreRefused(t *testing.T) {
	namespace := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`
	chain := func(n int, first, step string) []string {
		list := []string{"l0", first}
		for i := 1; i <= n; i++ {
			list = append(list, fmt.Sprintf("l%d", i), strings.ReplaceAll(step, "L", fmt.Sprintf("variables.l%d", i-1)))
		}
		return list
	}
	for _, c := range []struct {
		first, step string
		n           int
		refused     bool
	}{
		{"[object.metadata.name]", "L + L", 30, true},
		{"object.metadata.name", "L + L", 30, true},
		{"[object.metadata.name]", "[L + L][0]", 30, true},
		{"[object.metadata.name]", "true ? L + L : L", 30, true},
		{"[object.metadata.name]", "[L].map(x, x + x)[0]", 30, true},
		{"[object.metadata.name]", "{'a': L + L}.a", 30, true},
		{"[object.metadata.name]", "L + L", 7, false},
		{"[object.metadata.name]", "L + ['x']", 30, false},
		{"[object.metadata.name]", "L.map(x, x + 'a')", 7, false},
		{"[object.metadata.name]", "L.filter(x, x != '' && x != 'b')", 30, false},
	} {
		cluster := newCluster(t, admission.Options{}, append(policy(fmt.Sprintf("variables.l%d.size() > 0", c.n), chain(c.n, c.first, c.step)...), namespace)...)
		_, err := create(cluster, "", "v1", "configmaps", "d", `{"metadata":{"name":"a"}}`)
		if refused := err != nil && strings.Contains(err.Error(), "may concatenate more than"); refused != c.refused || !refused && err != nil {
			t.Errorf("%s, %d times %s: %v", c.first, c.n, c.step, err)
		}
	}
}
