package cluster_test

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestClientApply checks the type of each request of 'kubectl apply'.
func TestClientApply(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	builtin, ok := catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	if !ok {
		t.Fatal("no ConfigMap")
	}
	custom := schema.NewKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, schema.AnyObject())
	value := func(text string) document.Value {
		d, err := document.ParseYAML([]byte(text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	config := value(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1"}}`)
	applied := patch.WithLastApplied(config)
	for _, test := range []struct {
		why          string
		kind         *schema.Kind
		live, config document.Value
		verb         cluster.Verb
		format       cluster.Format
		want         string // the data in the document; "" for no request
	}{
		{"an object that does not exist is created with the annotation", builtin, document.Value{}, config, cluster.Create, cluster.JSON, `{"k":"1"}`},
		{"kubectl removes nulls before it creates an object, from objects in lists as well", custom, document.Value{},
			value(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, data: {k: null, l: [null, {a: null, b: "1"}], m: {o: null}}}`), cluster.Create, cluster.JSON, `{"l":[null,{"b":"1"}],"m":{}}`},
		{"a built-in kind has a strategic merge patch", builtin, applied, config.Set(document.NewString("2"), "data", "k"), cluster.Patch, cluster.StrategicPatch, `{"k":"2"}`},
		{"a custom resource has a merge patch", custom, applied, config.Set(document.NewString("2"), "data", "k"), cluster.Patch, cluster.MergePatch, `{"k":"2"}`},
		{"what the configuration no longer has is removed", builtin, applied, config.Remove("data", "k").Set(document.NewString("2"), "data", "l"), cluster.Patch, cluster.StrategicPatch, `{"k":null,"l":"2"}`},
		{"no change", builtin, applied, config, 0, 0, ""},
	} {
		r, err := cluster.ClientApply(test.kind, test.live, test.config, nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.why, err)
		case r == nil || test.want == "":
			if r != nil || test.want != "" {
				t.Errorf("%s: the request is %+v", test.why, r)
			}
		case r.Verb != test.verb || r.Format != test.format || !document.Equal(r.Document.Root.Get("data"), value(test.want)):
			t.Errorf("%s: %v in format %v of %s, want data %s", test.why, r.Verb, r.Format, r.Document.Root, test.want)
		case !r.Document.Root.Lookup("metadata", "annotations", patch.LastApplied).Exists():
			t.Errorf("%s: without the annotation", test.why)
		}
	}
	broken := config.Set(document.NewString("{"), "metadata", "annotations", patch.LastApplied)
	if _, err := cluster.ClientApply(builtin, broken, config, nil); !errors.Is(err, patch.ErrLastApplied) {
		t.Errorf("an annotation that is no JSON: %v, want ErrLastApplied", err)
	}
}
