package quota_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quota"
	"github.com/patchlab-dev/patchlab/schema"
)

// An update that leaves what is used alone may still bring an object into the scope of another quota.
func TestRescoped(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, resource, old, object string
		want                       bool
	}{
		{"a pod gets a deadline", "pods", `{"spec":{}}`, `{"spec":{"activeDeadlineSeconds":5}}`, true},
		{"another deadline", "pods", `{"spec":{"activeDeadlineSeconds":9}}`, `{"spec":{"activeDeadlineSeconds":5}}`, false},
		{"a claim gets a class", "persistentvolumeclaims", `{"spec":{}}`, `{"spec":{"volumeAttributesClassName":"gold"}}`, true},
		{"a volume has got the class", "persistentvolumeclaims", `{"spec":{"volumeAttributesClassName":"gold"},"status":{"currentVolumeAttributesClassName":"silver"}}`,
			`{"spec":{"volumeAttributesClassName":"gold"},"status":{"currentVolumeAttributesClassName":"gold"}}`, true},
		{"labels of a claim", "persistentvolumeclaims", `{"spec":{"volumeAttributesClassName":"gold"}}`,
			`{"metadata":{"labels":{"a":"b"}},"spec":{"volumeAttributesClassName":"gold"}}`, false},
		{"scopes do not select Services", "services", `{"spec":{}}`, `{"spec":{"type":"NodePort"}}`, false},
	} {
		k, _ := catalog.Resource("", "v1", c.resource)
		resource, ok := quota.Of(k)
		if !ok {
			t.Fatal(c.resource, "is not counted")
		}
		if got := resource.Rescoped(parsed(t, c.object), parsed(t, c.old)); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	doc, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}
