package cluster_test

import (
	"context"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Writes validate the whole of an object that was stored without validation, until it is
// valid. From then on they validate only what they change.
func TestInvalidStoredObjectsAreValidatedCompletely(t *testing.T) {
	const path = "/apis/apps/v1/namespaces/n/deployments"
	deployment := func(ports string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"n"},"spec":{"selector":{"matchLabels":{"a":"b"}},
"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":` + ports + `}]}}}}`
	}
	record, err := cluster.DecodeRecord([]byte(deployment(`[{"containerPort":70000}]`)))
	if err != nil {
		t.Fatal(err)
	}
	objects := cluster.NewStore()
	if _, err := objects.Create(context.Background(), "/registry/deployments/n/a", record); err != nil {
		t.Fatal(err)
	}
	q := newRequests(t, cluster.Config{Store: objects})
	label := `{"metadata":{"labels":{"x":"y"}}}`
	wrong := func(why string, st *cluster.Status) {
		t.Helper()
		if !strings.Contains(st.Message, "ports[0].containerPort") {
			t.Errorf("%s: %s", why, st.Message)
		}
	}
	for range 2 {
		wrong("a label of an object with a wrong port", q.refused(422, cluster.Patch, path+"/a", label))
	}
	q.must(cluster.Patch, path+"/a", `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]}}}}`)
	q.must(cluster.Patch, path+"/a", label)
	wrong("a port that becomes wrong", q.refused(422, cluster.Patch, path+"/a", `[{"op":"replace","path":"/spec/template/spec/containers/0/ports/0/containerPort","value":70000}]`,
		func(r *cluster.Request) { r.Format = cluster.JSONPatch }))
}

// Custom resources that an earlier schema allowed remain valid as long as they are unchanged
// (ratcheting).
func TestInvalidStoredCustomResourcesAreRatcheted(t *testing.T) {
	schema := func(longest string) string {
		return `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"` + longest + `}}}}}}`
	}
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", schema(""), ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"items":[{"a":"long"},{"a":"b"}]}}`)
	q.must(cluster.Patch, things+"/a", `{"metadata":{"labels":{"x":"y"}}}`)
	q.must(cluster.Patch, crds+"/things.x.example.com", `{"spec":`+specOf(t, thingCRD("things", "Thing", schema(`,"maxLength":3`), ""))+`}`)
	q.must(cluster.Patch, things+"/a", `{"metadata":{"labels":{"x":"z"}}}`) // the value that is too long is unchanged
	q.refused(422, cluster.Patch, things+"/a", `{"spec":{"items":[{"a":"long"},{"a":"b"},{"a":"c"}]}}`)
	q.must(cluster.Patch, things+"/a", `{"spec":{"items":[{"a":"b"}]}}`)
	q.refused(422, cluster.Patch, things+"/a", `[{"op":"add","path":"/spec/items/-","value":{"a":"long"}}]`, func(r *cluster.Request) { r.Format = cluster.JSONPatch })
}

func specOf(t *testing.T, crd string) string {
	t.Helper()
	d, err := document.Parse([]byte(crd), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root.Get("spec").String()
}
