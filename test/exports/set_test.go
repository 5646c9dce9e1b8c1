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

// TestASetOfFinalizers runs the scenario "A set of finalizers".
// Finalizers are a set: each item is its own key, and each manager owns the ones that it added. Nobody can take away another's by leaving it out.
func TestASetOfFinalizers(t *testing.T) {
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

	// Step 1: storage, apply.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects1.Patch(ctx, "volume", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: volume
  finalizers: ["example.com/storage"]`), metav1.PatchOptions{FieldManager: "storage", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "volume", `{
  "apiVersion": "v1",
  "kind": "ConfigMap",
  "metadata": {
    "finalizers": [
      "example.com/storage"
    ],
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:finalizers": {
              "v:\"example.com/storage\"": {}
            }
          }
        },
        "manager": "storage",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "volume",
    "namespace": "default"
  }
}`)

	// Step 2: backup, apply. The set grows.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects2.Patch(ctx, "volume", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: volume
  finalizers: ["example.com/backup"]`), metav1.PatchOptions{FieldManager: "backup", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 0, objects2, "volume", `{
  "apiVersion": "v1",
  "kind": "ConfigMap",
  "metadata": {
    "finalizers": [
      "example.com/storage",
      "example.com/backup"
    ],
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:finalizers": {
              "v:\"example.com/storage\"": {}
            }
          }
        },
        "manager": "storage",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:finalizers": {
              "v:\"example.com/backup\"": {}
            }
          }
        },
        "manager": "backup",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "volume",
    "namespace": "default"
  }
}`)

	// Step 3: storage, apply. Storage gives up its own item. The other one stays.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects3.Patch(ctx, "volume", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: volume`), metav1.PatchOptions{FieldManager: "storage", FieldValidation: "Strict", Force: new(false)})
	expect("step 3", err, 0, objects3, "volume", `{
  "apiVersion": "v1",
  "kind": "ConfigMap",
  "metadata": {
    "finalizers": [
      "example.com/backup"
    ],
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:finalizers": {
              "v:\"example.com/backup\"": {}
            }
          }
        },
        "manager": "backup",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "volume",
    "namespace": "default"
  }
}`)

	// Step 4: backup, delete. The object waits for the finalizer that is left.
	objects4 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	err = objects4.Delete(ctx, "volume", metav1.DeleteOptions{})
	expect("step 4", err, 0, objects4, "volume", `{
  "apiVersion": "v1",
  "kind": "ConfigMap",
  "metadata": {
    "deletionGracePeriodSeconds": 0,
    "deletionTimestamp": "2026-01-01T09:03:00Z",
    "finalizers": [
      "example.com/backup"
    ],
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:finalizers": {
              "v:\"example.com/backup\"": {}
            }
          }
        },
        "manager": "backup",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "volume",
    "namespace": "default"
  }
}`)

	// Step 5: backup, merge-patch. With the last finalizer the object goes.
	objects5 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects5.Patch(ctx, "volume", types.MergePatchType, []byte(`{
  "metadata": {
    "finalizers": null
  }
}`), metav1.PatchOptions{FieldManager: "backup", FieldValidation: "Strict"})
	expect("step 5", err, 0, objects5, "volume", "")
}
