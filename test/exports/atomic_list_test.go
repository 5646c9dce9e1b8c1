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

// TestAnAtomicListIsOneValue runs the scenario "An atomic list is one value".
// The arguments of a container have no keys: the list is replaced as a whole and has owners as a whole. Adding one argument means to own them all.
func TestAnAtomicListIsOneValue(t *testing.T) {
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
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "pods"}).Namespace("default")
	_, err = objects1.Patch(ctx, "job", types.ApplyPatchType, []byte(`apiVersion: v1
kind: Pod
metadata:
  name: job
spec:
  containers:
  - name: main
    image: example.com/job:1
    args: ["--verbose"]`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "job", `{
  "apiVersion": "v1",
  "kind": "Pod",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:containers": {
              "k:{\"name\":\"main\"}": {
                ".": {},
                "f:args": {},
                "f:image": {},
                "f:name": {}
              }
            }
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "job",
    "namespace": "default"
  },
  "spec": {
    "containers": [
      {
        "args": [
          "--verbose"
        ],
        "image": "example.com/job:1",
        "imagePullPolicy": "IfNotPresent",
        "name": "main",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File"
      }
    ],
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": true,
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30
  },
  "status": {
    "phase": "Pending",
    "qosClass": "BestEffort"
  }
}`)

	// Step 2: bob, apply. Bob only wants to add an argument, but the list is one field, and Alice's.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "pods"}).Namespace("default")
	_, err = objects2.Patch(ctx, "job", types.ApplyPatchType, []byte(`apiVersion: v1
kind: Pod
metadata:
  name: job
spec:
  containers:
  - name: main
    args: ["--verbose", "--dry-run"]`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 409, objects2, "job", `{
  "apiVersion": "v1",
  "kind": "Pod",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:containers": {
              "k:{\"name\":\"main\"}": {
                ".": {},
                "f:args": {},
                "f:image": {},
                "f:name": {}
              }
            }
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "job",
    "namespace": "default"
  },
  "spec": {
    "containers": [
      {
        "args": [
          "--verbose"
        ],
        "image": "example.com/job:1",
        "imagePullPolicy": "IfNotPresent",
        "name": "main",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File"
      }
    ],
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": true,
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30
  },
  "status": {
    "phase": "Pending",
    "qosClass": "BestEffort"
  }
}`)
}
