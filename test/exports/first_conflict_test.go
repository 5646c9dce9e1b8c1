// Written by 'patchlab export --to go'.

package exports

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// TestTheFirstConflict runs the scenario "The first conflict".
// Two managers want different values for one field. The second apply is refused and names the owner; there are three ways out, and the panel Conflicts shows what each does.
func TestTheFirstConflict(t *testing.T) {
	ctx := context.Background()
	object := func(text string) *unstructured.Unstructured {
		t.Helper()
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return o
	}
	clock := patchlabtest.NewClock(time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC))
	server := patchlabtest.StartWith(t, patchlabtest.Options{
		Now: clock.Now,
	})
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	// expect compares the answer to a step, and the object after it with its managers. What
	// the server counts and generates is left out.
	expect := func(step string, err error, code int32, objects dynamic.ResourceInterface, name, want string) {
		t.Helper()
		clock.Advance(time.Minute)
		got := int32(0)
		if status, ok := err.(apierrors.APIStatus); ok {
			got = status.Status().Code
		} else if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if got != code {
			t.Fatalf("%s: the server answers with the error %d (%v), want %d", step, got, err, code)
		}
		live, err := objects.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) && want == "" {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
			unstructured.RemoveNestedField(live.Object, "metadata", field)
		}
		if wanted := object(want); !reflect.DeepEqual(live.Object, wanted.Object) {
			text, _ := json.MarshalIndent(live.Object, "", "  ")
			t.Errorf("%s: the object is\n%s\nwant\n%s", step, text, want)
		}
	}

	// Step 1: alice, apply. Alice owns each field that her manifest names.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects1.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue
  size: small`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {},
            "f:size": {}
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "settings",
    "namespace": "default"
  }
}`)

	// Step 2: bob, apply. Bob may add what nobody owns. For colour he needs Alice's leave, or force.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects2.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: red
  shape: round`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 409, objects2, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {},
            "f:size": {}
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "settings",
    "namespace": "default"
  }
}`)
}
