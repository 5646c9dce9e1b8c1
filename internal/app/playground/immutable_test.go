package playground

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// unchangeable has, for each field reported as immutable, an object and another value
// that is valid at creation.
var unchangeable = []struct{ resource, field, object, other string }{
	{"deployments.apps", "spec.selector", workload("Deployment", ""), `{"matchLabels": {"app": "web", "a": "b"}}`},
	{"daemonsets.apps", "spec.selector", workload("DaemonSet", ""), `{"matchLabels": {"app": "web", "a": "b"}}`},
	{"replicasets.apps", "spec.selector", workload("ReplicaSet", ""), `{"matchLabels": {"app": "web", "a": "b"}}`},
	{"statefulsets.apps", "spec.selector", workload("StatefulSet", "  serviceName: web\n"), `{"matchLabels": {"app": "web", "a": "b"}}`},
	{"statefulsets.apps", "spec.serviceName", workload("StatefulSet", "  serviceName: web\n"), `"other"`},
	{"statefulsets.apps", "spec.podManagementPolicy", workload("StatefulSet", "  serviceName: web\n"), `"Parallel"`},
	{"jobs.batch", "spec.selector", job, `{"matchLabels": {"a": "b"}}`},
	{"jobs.batch", "spec.completionMode", job, `"Indexed"`},
	{"rolebindings.rbac.authorization.k8s.io", "roleRef", "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: x}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}\n", `{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "b"}`},
	{"clusterrolebindings.rbac.authorization.k8s.io", "roleRef", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: x}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}\n", `{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "b"}`},
	{"storageclasses.storage.k8s.io", "provisioner", storageClass, `"example.com/other"`},
	{"storageclasses.storage.k8s.io", "parameters", storageClass, `{"a": "b"}`},
	{"storageclasses.storage.k8s.io", "reclaimPolicy", storageClass, `"Retain"`},
	{"storageclasses.storage.k8s.io", "volumeBindingMode", storageClass, `"WaitForFirstConsumer"`},
	{"priorityclasses.scheduling.k8s.io", "value", priorityClass, `2`},
	{"priorityclasses.scheduling.k8s.io", "preemptionPolicy", priorityClass, `"Never"`},
	{"ingressclasses.networking.k8s.io", "spec.controller", "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: x}\nspec: {controller: example.com/a}\n", `"example.com/b"`},
	{"secrets", "type", "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", `"example.com/b"`},
	{"secrets", "data", "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nimmutable: true\n", `{"a": "YQ=="}`},
	{"configmaps", "data", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nimmutable: true\n", `{"a": "b"}`},
	{"persistentvolumeclaims", "spec.accessModes", claim, `["ReadOnlyMany"]`},
	{"persistentvolumeclaims", "spec.storageClassName", claim, `"other"`},
	{"persistentvolumeclaims", "spec.volumeMode", claim, `"Block"`},
	{"customresourcedefinitions.apiextensions.k8s.io", "spec.scope", definition, `"Cluster"`},
	{"customresourcedefinitions.apiextensions.k8s.io", "spec.group", definition, `"other.example.com"`},
}

const (
	job           = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec:\n  completions: 1\n  template:\n    spec: {restartPolicy: Never, containers: [{name: a, image: b}]}\n"
	storageClass  = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: x}\nprovisioner: example.com/a\n"
	priorityClass = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: x}\nvalue: 1\n"
	claim         = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: x}\nspec: {accessModes: [ReadWriteOnce], storageClassName: a, resources: {requests: {storage: 1Gi}}}\n"
	definition    = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: A, plural: as}\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n"
)

func workload(kind, more string) string {
	return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: x}\nspec:\n" + more + "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web, a: b}}\n    spec: {containers: [{name: a, image: b}]}\n"
}

// TestImmutableFieldsCannotBeChanged patches each field with another value. The patch
// must be rejected because of that field, and the page must report the field as
// immutable. Every entry of the list must have a case.
func TestImmutableFieldsCannotBeChanged(t *testing.T) {
	cases := map[string]bool{}
	for _, c := range unchangeable {
		cases[c.resource+" "+c.field] = true
		keys := strings.Split(c.field, ".")
		other, err := document.Parse([]byte(c.other), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		patch := document.NewObject().Set(other.Root, keys...)
		s := Scenario{Steps: []Step{{Actor: "a", Do: "create", Body: c.object}, {Actor: "b", Do: "merge-patch", Body: string(patch.YAML())}}}
		e := New()
		var out RunOutput
		must(t, e, "run", RunInput{Scenario: s, At: 1}, &out)
		named := strings.Contains(out.Steps[1].Message, c.field) || strings.Contains(out.Steps[1].Message, "spec: Forbidden") // some kinds report the error at spec
		if !out.Steps[0].OK || out.Steps[1].Code != 422 || !named {
			t.Errorf("%s %s: created with %d, changed with %d %s", c.resource, c.field, out.Steps[0].Code, out.Steps[1].Code, out.Steps[1].Message)
			continue
		}
		res, err := e.result(&s, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !isFixed(res.Kind, res.After.Value, document.Keys(keys...)) {
			t.Errorf("%s %s is not reported as immutable", c.resource, c.field)
		}
		if isFixed(res.Kind, res.After.Value, document.Keys("metadata", "labels")) {
			t.Errorf("the labels of %s are reported as immutable", c.resource)
		}
	}
	for _, resource := range slices.Sorted(maps.Keys(immutable)) {
		for field := range strings.FieldsSeq(immutable[resource]) {
			if !cases[resource+" "+field] {
				t.Errorf("%s %s has no case", resource, field)
			}
		}
	}
}
