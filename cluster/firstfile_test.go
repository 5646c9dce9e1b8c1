package cluster_test

import (
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

const (
	jobs         = "/apis/batch/v1/namespaces/n/jobs"
	claims       = "/api/v1/namespaces/n/persistentvolumeclaims"
	statefulSets = "/apis/apps/v1/namespaces/n/statefulsets"
)

// Manifests that kube-apiserver accepts and that are common in published projects.
func TestOrdinaryManifestsAreAccepted(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	for _, c := range []struct{ why, path, body string }{
		{"containers may mount the volumes that a StatefulSet's claim templates add", statefulSets + "/s", `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},
			"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
			"spec":{"containers":[{"name":"c","image":"i","volumeMounts":[{"name":"data","mountPath":"/data"}]}]}},
			"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}`},
		{"a Job without labels of its own", jobs + "/j", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":
			{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"}]}],
			"tolerations":[],"volumes":[{"name":"v","downwardAPI":{"items":[{"path":"p","resourceFieldRef":{"containerName":"c","resource":"limits.cpu"}}]}},
			{"name":"p","projected":{"sources":[{"secret":{"name":"s","items":[]}},{"downwardAPI":{"items":[{"path":"p","resourceFieldRef":{"containerName":"c","resource":"limits.cpu","divisor":"1000m"}}]}}]}}]}}}}`},
		{"a claim without a storage class", claims + "/c", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},
			"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1024Mi"}}}}`},
	} {
		for _, again := range []string{"", ", applied again"} {
			if _, st := q.do(cluster.Patch, c.path, c.body, apply("x")); st != nil {
				t.Errorf("%s%s: %s", c.why, again, st.Message)
			}
		}
	}
	labels := q.must(cluster.Get, jobs+"/j", "").Lookup("metadata", "labels")
	if labels.Get("batch.kubernetes.io/job-name").StringOr("") != "j" || labels.Get("a").StringOr("") != "b" {
		t.Errorf("the Job's own labels are %s; they come from its template", labels)
	}
	for _, c := range []struct{ why, patch string }{
		{"the storage class may be set once", `{"spec":{"storageClassName":"sc"}}`},
		{"the volume may be set once", `{"spec":{"volumeName":"v"}}`},
		{"an empty selector equals none", `{"spec":{"resources":{"limits":{}}}}`},
	} {
		if _, st := q.do(cluster.Patch, claims+"/c", c.patch); st != nil {
			t.Errorf("%s: %s", c.why, st.Message)
		}
	}
	q.refused(422, cluster.Patch, claims+"/c", `{"spec":{"storageClassName":"other"}}`)
}

// kube-apiserver refuses most workloads without a selector with two causes: the selector is
// required, and the template's labels do not match it.
func TestWorkloadWithoutSelector(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	want := []string{"spec.selector FieldValueRequired", "spec.template.metadata.labels FieldValueInvalid"}
	for _, resource := range []string{"deployments", "replicasets", "statefulsets"} {
		st := q.refused(422, cluster.Create, "/apis/apps/v1/namespaces/n/"+resource, `{"metadata":{"name":"x"},"spec":{"selector":null,`+template+`}}`)
		var got []string
		for _, c := range st.Details.Causes {
			got = append(got, c.Field+" "+c.Type)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", resource, got, want)
		}
	}
}
