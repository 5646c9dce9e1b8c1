package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/reference"
)

// managedFields may refer to a version that is no longer served: kube-apiserver answers an
// apply in another version with 200 and moves the entry, a merge patch keeps it, and a write to
// the scale takes only the replicas from it.
func TestManagersInAVersionThatIsNoLongerServed(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	do := func(r *cluster.Request) document.Value {
		t.Helper()
		resp, err := c.Do(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Object
	}
	version := func(name string, served bool) string {
		return fmt.Sprintf(`{"name":%q,"served":%v,"storage":%v,"subresources":{"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},`+
			`"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"}}},`+
			`"status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}`, name, served, name == "v1")
	}
	crd := func(served bool) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",` +
			`"names":{"kind":"Thing","plural":"things"},"versions":[` + version("v1", true) + `,` + version("v1beta1", served) + `]}}`
	}
	do(&cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(crd(true))})
	apply := func(version, manager, name, spec string) document.Value {
		t.Helper()
		return do(&cluster.Request{
			Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "example.com", Version: version, Resource: "things", Namespace: "n", Name: name,
			Body:    []byte(`{"apiVersion":"example.com/` + version + `","kind":"Thing","metadata":{"name":"` + name + `"},"spec":` + spec + `}`),
			Options: cluster.Options{FieldManager: manager},
		})
	}
	for _, name := range []string{"applied", "patched"} {
		apply("v1beta1", "old", name, `{"a":"1"}`)
	}
	apply("v1beta1", "old", "scaled", `{"a":"1","n":1}`)
	do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.MergePatch, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com",
		Body: []byte(`{"spec":{"versions":[` + version("v1", true) + `,` + version("v1beta1", false) + `]}}`),
	})
	owners := func(o document.Value) string {
		var out []string
		for _, e := range o.Lookup("metadata", "managedFields").Items() {
			out = append(out, e.Get("manager").StringOr("")+" "+e.Get("apiVersion").StringOr("")+" "+e.Get("fieldsV1").Get("f:spec").String())
		}
		return strings.Join(out, "; ")
	}
	if got := owners(apply("v1", "old", "applied", `{"a":"2","b":"1"}`)); got != `old example.com/v1 {"f:a":{},"f:b":{}}` {
		t.Errorf("applied: %s", got)
	}
	patched := do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.MergePatch, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n", Name: "patched",
		Body: []byte(`{"spec":{"b":"1"}}`), Options: cluster.Options{FieldManager: "new"},
	})
	if got := owners(patched); got != `old example.com/v1beta1 {"f:a":{}}; new example.com/v1 {"f:b":{}}` {
		t.Errorf("patched: %s", got)
	}
	do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.MergePatch, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n", Name: "scaled",
		Subresource: "scale", Body: []byte(`{"spec":{"replicas":2}}`), Options: cluster.Options{FieldManager: "new"},
	})
	scaled := do(&cluster.Request{Verb: cluster.Get, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n", Name: "scaled"})
	if got := owners(scaled); got != `old example.com/v1beta1 {"f:a":{}}; new example.com/v1 {"f:n":{}}` {
		t.Errorf("scaled: %s", got)
	}
	// Nothing can be applied to the scale of a custom resource. The text has the metadata of the body.
	_, err = c.Do(context.Background(), &cluster.Request{
		Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n", Name: "scaled", Subresource: "scale",
		Body:    []byte(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"scaled"},"spec":{"replicas":3}}`),
		Options: cluster.Options{FieldManager: "newer", Force: new(true)},
	})
	const want = "failed to convert new object (/scaled; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1"
	if err == nil || err.Error() != want {
		t.Errorf("applied to the scale: %v, want %s", err, want)
	}
	// A version that the definition no longer has cannot be applied over.
	do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.MergePatch, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com",
		Subresource: "status", Body: []byte(`{"status":{"storedVersions":["v1"]}}`),
	})
	do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.MergePatch, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com",
		Body: []byte(`{"spec":{"versions":[` + version("v1", true) + `]}}`),
	})
	_, err = c.Do(context.Background(), &cluster.Request{
		Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n", Name: "patched",
		Body:    []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"patched"},"spec":{"b":"2"}}`),
		Options: cluster.Options{FieldManager: "new"},
	})
	var refused *cluster.Status
	if !errors.As(err, &refused) || refused.Code != 500 || refused.Message != "request to convert CR to an invalid group/version: example.com/v1beta1" {
		t.Errorf("a version that does not exist: %v", err)
	}
}

// Managers with entries in two versions are answered as by kube-apiserver, with either
// engine: an object with a field that the version of an entry does not declare fails an
// apply, and every other write removes its managers.
func TestManagersInSeveralVersions(t *testing.T) {
	cases, err := conformance.Read("../testdata/more/more-versions.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for name, engine := range map[string]fieldmanager.Engine{"ours": nil, "reference": reference.Merger()} {
		t.Run(name, func(t *testing.T) {
			at := &clock{now: time.Now().Truncate(time.Second)}
			c, err := cluster.New(cluster.Config{Now: at.Now, Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for _, one := range cases {
				recorded, err := conformance.Runner{Now: at.Now, Sleep: at.Sleep}.Record(one, inprocess.Send(c))
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range one.Steps {
					if d := conformance.Difference(s.Response, recorded.Steps[i].Response, false); d != "" {
						t.Errorf("%s, step %d: %s", one.Name, i, d)
					}
				}
			}
		})
	}
}
