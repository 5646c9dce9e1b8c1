package admission_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// TestDeletedDefinitionsAreNotKept creates and deletes definitions with rules, as a suite of tests does
// that runs against one server, and checks that their kinds are not kept in memory once the history of
// the store does not have their objects any more.
func TestDeletedDefinitionsAreNotKept(t *testing.T) {
	history := cluster.NewStore()
	c := configured(t, cluster.Config{Store: history}, admission.Options{})
	kinds := make([]weak.Pointer[schema.Kind], 20)
	for n := range kinds {
		name := fmt.Sprintf("things%d", n)
		definition := fmt.Sprintf(`{"metadata":{"name":"%[1]s.example.com"},"spec":{"group":"example.com","scope":"Cluster",
			"names":{"plural":"%[1]s","kind":"Thing%[2]d"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
			{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}}}}}]}}`, name, n)
		for _, r := range []cluster.Request{
			{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(definition)},
			{Verb: cluster.Create, Group: "example.com", Version: "v1", Resource: name, Body: fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Thing%d","metadata":{"name":"a"},"spec":{}}`, n)},
			{Verb: cluster.Delete, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: name + ".example.com"},
		} {
			if _, err := c.Do(t.Context(), &r); err != nil {
				t.Fatal(err)
			}
			if kind, ok := c.Kinds().Resource("example.com", "v1", name); ok {
				kinds[n] = weak.Make(kind)
			}
		}
	}
	for n := range cluster.WatchCompacted + 1 { // after a compaction, the history has the latest writes
		if _, err := create(c, "", "v1", "namespaces", "", fmt.Sprintf(`{"metadata":{"name":"a%d"}}`, n)); err != nil {
			t.Fatal(err)
		}
	}
	compact(t, history)
	alive := func() (n int) {
		runtime.GC()
		for _, k := range kinds {
			if k.Value() != nil {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(10 * time.Second); alive() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the kinds of %d of %d deleted definitions are kept", alive(), len(kinds))
		}
	}
	runtime.KeepAlive(c)
}

// TestMemoryDoesNotGrow creates, uses and deletes definitions, policies and webhooks of ever new names, and
// checks that what is compiled for them does not stay: the rules of one definition take a hundred kilobytes.
// The metrics of Kubernetes' libraries keep seven for the names, here as in kube-apiserver.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles hundreds of expressions")
	}
	history := cluster.NewStore()
	c := configured(t, cluster.Config{Store: history}, admission.Options{})
	if _, err := create(c, "", "v1", "namespaces", "", `{"metadata":{"name":"default"}}`); err != nil {
		t.Fatal(err)
	}
	const (
		policies = "admissionregistration.k8s.io"
		rules    = `[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]`
		matches  = `"matchConstraints":{"resourceRules":` + rules + `}`
	)
	objects := []struct{ group, resource, name, body string }{
		{"apiextensions.k8s.io", "customresourcedefinitions", "things#.example.com", `{"metadata":{"name":"things#.example.com"},"spec":{"group":"example.com","scope":"Cluster",
			"names":{"plural":"things#","kind":"Thing#"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
			{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}}}}}]}}`},
		{"example.com", "things#", "a", `{"apiVersion":"example.com/v1","kind":"Thing#","metadata":{"name":"a"},"spec":{}}`},
		{policies, "validatingadmissionpolicies", "p#", `{"metadata":{"name":"p#"},"spec":{` + matches + `,"validations":[{"expression":"object.metadata.name != 'x#'"}]}}`},
		{policies, "validatingadmissionpolicybindings", "p#", `{"metadata":{"name":"p#"},"spec":{"policyName":"p#","validationActions":["Deny"]}}`},
		{policies, "mutatingadmissionpolicies", "p#", `{"metadata":{"name":"p#"},"spec":{"reinvocationPolicy":"Never",` + matches + `,"mutations":[{"patchType":"ApplyConfiguration",
			"applyConfiguration":{"expression":"Object{metadata: Object.metadata{labels: {'l#':'x'}}}"}}]}}`},
		{policies, "mutatingadmissionpolicybindings", "p#", `{"metadata":{"name":"p#"},"spec":{"policyName":"p#"}}`},
		{policies, "validatingwebhookconfigurations", "w#", `{"metadata":{"name":"w#"},"webhooks":[{"name":"w#.example.com","clientConfig":{"url":"https://127.0.0.1:1/#"},
			"matchConditions":[{"name":"c","expression":"object.metadata.name != 'z#'"}],"failurePolicy":"Ignore","sideEffects":"None","admissionReviewVersions":["v1"],"rules":` + rules + `}]}`},
		{"", "configmaps", "a", `{"metadata":{"name":"a"}}`},
	}
	use := func(n int) {
		numbered := strings.NewReplacer("#", fmt.Sprint(n)).Replace
		for _, o := range objects {
			if _, err := create(c, o.group, "v1", numbered(o.resource), namespaceOf(o.resource), numbered(o.body)); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range objects {
			if o.group == "example.com" {
				continue // deleted with its definition
			}
			if _, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Delete, Group: o.group, Version: "v1", Resource: o.resource, Namespace: namespaceOf(o.resource), Name: numbered(o.name)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// inUse returns the least memory in use of several collections: some values are dropped after one.
	inUse := func() uint64 {
		compact(t, history)
		least := ^uint64(0)
		for range 10 {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least = min(least, m.HeapAlloc)
		}
		return least
	}
	const first, further, most = 15, 45, 20 << 10
	for n := range first {
		use(n)
	}
	before := inUse()
	for n := range further {
		use(first + n)
	}
	if after := inUse(); after > before+further*most {
		t.Errorf("%d KiB are in use after %d repetitions and %d KiB after %d more: each leaves more than %d KiB", before>>10, first, after>>10, further, most>>10)
	}
	runtime.KeepAlive(c)
}

// compact drops the states that objects have had.
func compact(t *testing.T, history store.Store[*cluster.Record]) {
	t.Helper()
	now, err := history.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Compact(t.Context(), now); err != nil {
		t.Fatal(err)
	}
}

func namespaceOf(resource string) string {
	if resource == "configmaps" {
		return "default"
	}
	return ""
}
