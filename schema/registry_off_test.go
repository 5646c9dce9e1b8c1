package schema_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

// TestLeaveOffHidesResources: kinds that are off by default are known but not served after
// LeaveOff.
func TestLeaveOffHidesResources(t *testing.T) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	r := schema.NewRegistry(catalog)
	var off *schema.Kind
	for k := range r.Kinds() {
		if k.OffByDefault && k.Resource != "" {
			off = k
		}
	}
	if off == nil {
		t.Fatal("no kind is off by default")
	}
	if _, ok := r.Resource(off.Group, off.Version, off.Resource); !ok {
		t.Errorf("%v is not served by a registry without LeaveOff", off.GroupVersionKind)
	}
	r.LeaveOff()
	if _, ok := r.Resource(off.Group, off.Version, off.Resource); ok {
		t.Errorf("%v is served", off.GroupVersionKind)
	}
	if _, ok := r.Kind(off.GroupVersionKind); !ok {
		t.Errorf("%v is not known any more", off.GroupVersionKind)
	}
	for k := range r.Kinds() {
		if k.OffByDefault {
			t.Errorf("%v is listed", k.GroupVersionKind)
		}
	}
	if _, ok := r.Resource("apps", "v1", "deployments"); !ok {
		t.Error("Deployments are not served")
	}
}
