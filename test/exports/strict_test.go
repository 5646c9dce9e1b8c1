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

// TestMistakesAndWhatTheAPIServerSays runs the scenario "Mistakes and what the API server says".
// A field that does not exist, a value of the wrong type, and text that is no YAML. Each is marked at its line, and none changes the object.
func TestMistakesAndWhatTheAPIServerSays(t *testing.T) {
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

	// Step 1: alice, apply.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects1.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {}
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

	// Step 2: alice, apply. There is no field colours.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects2.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
colours:
  main: blue`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 500, objects2, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {}
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

	// Step 3: alice, merge-patch. The values of a ConfigMap are texts, and 3 is a number.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects3.Patch(ctx, "settings", types.MergePatchType, []byte(`{
  "data": {
    "size": 3
  }
}`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict"})
	expect("step 3", err, 422, objects3, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {}
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

	// Step 4: alice, apply. This is no YAML.
	// Left out: 3:1: invalid YAML: did not find expected ',' or ']'
	clock.Advance(time.Minute)

	// Step 5: alice, merge-patch. An old resourceVersion says that one writes to what one has not read.
	objects5 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects5.Patch(ctx, "settings", types.MergePatchType, []byte(`{
  "data": {
    "size": "small"
  },
  "metadata": {
    "resourceVersion": "1"
  }
}`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict"})
	expect("step 5", err, 409, objects5, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue"
  },
  "kind": "ConfigMap",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {}
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
