package defaults

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A Role's rules are always written. An empty list of them is one until it has
// been stored as protobuf, which knows none.
func TestDecodeInMemory(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	role, _ := catalog.Resource("rbac.authorization.k8s.io", "v1", "roles")
	doc, err := document.Parse([]byte(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","rules":[]}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from Source
		want string
	}{{FromJSON, "null"}, {FromJSON | InMemory, "[]"}, {FromTree | InMemory, "[]"}} {
		out, _, err := Decode(role, doc.Root, c.from)
		if got := out.Get("rules").String(); err != nil || got != c.want {
			t.Errorf("from %d: rules are %s (%v), want %s", c.from, got, err, c.want)
		}
	}
}
