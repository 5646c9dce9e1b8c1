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

// TestLeftoversOfClientSideApply runs the scenario "Leftovers of client-side apply".
// After years of kubectl apply the object belongs to an Update entry and has its last configuration in an annotation. Moving to server-side apply leaves the old entry behind, and removals stop working.
func TestLeftoversOfClientSideApply(t *testing.T) {
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

	// Step 1: kubectl-client-side-apply, client-side-apply. kubectl apply creates the object with its configuration in an annotation.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects1.Create(ctx, object(`{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "annotations": {
      "kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"v1\",\"data\":{\"colour\":\"blue\",\"size\":\"small\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"settings\",\"namespace\":\"default\"}}\n"
    },
    "name": "settings",
    "namespace": "default"
  }
}`), metav1.CreateOptions{FieldManager: "kubectl-client-side-apply", FieldValidation: "Strict"})
	expect("step 1", err, 0, objects1, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "annotations": {
      "kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"v1\",\"data\":{\"colour\":\"blue\",\"size\":\"small\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"settings\",\"namespace\":\"default\"}}\n"
    },
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            ".": {},
            "f:colour": {},
            "f:size": {}
          },
          "f:metadata": {
            "f:annotations": {
              ".": {},
              "f:kubectl.kubernetes.io/last-applied-configuration": {}
            }
          }
        },
        "manager": "kubectl-client-side-apply",
        "operation": "Update",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "settings",
    "namespace": "default"
  }
}`)

	// Step 2: kubectl, apply. kubectl apply --server-side with the same manifest. Both entries own each field now.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects2.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue
  size: small`), metav1.PatchOptions{FieldManager: "kubectl", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 0, objects2, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "annotations": {
      "kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"v1\",\"data\":{\"colour\":\"blue\",\"size\":\"small\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\"}}\n"
    },
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
        "manager": "kubectl",
        "operation": "Apply"
      },
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            ".": {},
            "f:colour": {},
            "f:size": {}
          },
          "f:metadata": {
            "f:annotations": {
              ".": {},
              "f:kubectl.kubernetes.io/last-applied-configuration": {}
            }
          }
        },
        "manager": "kubectl-client-side-apply",
        "operation": "Update",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "settings",
    "namespace": "default"
  }
}`)

	// Step 3: kubectl, apply. size is dropped, but the old entry still owns it, so it stays.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}).Namespace("default")
	_, err = objects3.Patch(ctx, "settings", types.ApplyPatchType, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue`), metav1.PatchOptions{FieldManager: "kubectl", FieldValidation: "Strict", Force: new(false)})
	expect("step 3", err, 0, objects3, "settings", `{
  "apiVersion": "v1",
  "data": {
    "colour": "blue",
    "size": "small"
  },
  "kind": "ConfigMap",
  "metadata": {
    "annotations": {
      "kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"v1\",\"data\":{\"colour\":\"blue\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\"}}\n"
    },
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            "f:colour": {}
          }
        },
        "manager": "kubectl",
        "operation": "Apply"
      },
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:data": {
            ".": {},
            "f:colour": {},
            "f:size": {}
          },
          "f:metadata": {
            "f:annotations": {
              ".": {},
              "f:kubectl.kubernetes.io/last-applied-configuration": {}
            }
          }
        },
        "manager": "kubectl-client-side-apply",
        "operation": "Update",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "settings",
    "namespace": "default"
  }
}`)
}
