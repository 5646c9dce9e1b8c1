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

// TestAKeyedListWithDefaultedKeys runs the scenario "A keyed list with defaulted keys".
// The ports of a Service are keyed by port and protocol. An item that leaves protocol out has the key TCP all the same, by its default, and one with UDP is another item.
func TestAKeyedListWithDefaultedKeys(t *testing.T) {
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

	// Step 1: alice, apply. The key of the item is port 53 with the default protocol, TCP.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "services"}).Namespace("default")
	_, err = objects1.Patch(ctx, "dns", types.ApplyPatchType, []byte(`apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  selector: {app: dns}
  ports:
  - port: 53
    name: dns-tcp`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "dns", `{
  "apiVersion": "v1",
  "kind": "Service",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:ports": {
              "k:{\"port\":53,\"protocol\":\"TCP\"}": {
                ".": {},
                "f:name": {},
                "f:port": {}
              }
            },
            "f:selector": {}
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "dns",
    "namespace": "default"
  },
  "spec": {
    "internalTrafficPolicy": "Cluster",
    "ipFamilies": [
      "IPv4"
    ],
    "ipFamilyPolicy": "SingleStack",
    "ports": [
      {
        "name": "dns-tcp",
        "port": 53,
        "protocol": "TCP",
        "targetPort": 53
      }
    ],
    "selector": {
      "app": "dns"
    },
    "sessionAffinity": "None",
    "type": "ClusterIP"
  },
  "status": {
    "loadBalancer": {}
  }
}`)

	// Step 2: bob, apply. The same port over UDP is an item of its own.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "services"}).Namespace("default")
	_, err = objects2.Patch(ctx, "dns", types.ApplyPatchType, []byte(`apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  ports:
  - port: 53
    protocol: UDP
    name: dns-udp`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 0, objects2, "dns", `{
  "apiVersion": "v1",
  "kind": "Service",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:ports": {
              "k:{\"port\":53,\"protocol\":\"TCP\"}": {
                ".": {},
                "f:name": {},
                "f:port": {}
              }
            },
            "f:selector": {}
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:ports": {
              "k:{\"port\":53,\"protocol\":\"UDP\"}": {
                ".": {},
                "f:name": {},
                "f:port": {},
                "f:protocol": {}
              }
            }
          }
        },
        "manager": "bob",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "dns",
    "namespace": "default"
  },
  "spec": {
    "internalTrafficPolicy": "Cluster",
    "ipFamilies": [
      "IPv4"
    ],
    "ipFamilyPolicy": "SingleStack",
    "ports": [
      {
        "name": "dns-tcp",
        "port": 53,
        "protocol": "TCP",
        "targetPort": 53
      },
      {
        "name": "dns-udp",
        "port": 53,
        "protocol": "UDP",
        "targetPort": 53
      }
    ],
    "selector": {
      "app": "dns"
    },
    "sessionAffinity": "None",
    "type": "ClusterIP"
  },
  "status": {
    "loadBalancer": {}
  }
}`)

	// Step 3: bob, apply. With the protocol spelled out it is Alice's item, and its name is hers.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "", Version: "v1", Resource: "services"}).Namespace("default")
	_, err = objects3.Patch(ctx, "dns", types.ApplyPatchType, []byte(`apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  ports:
  - port: 53
    protocol: UDP
    name: dns-udp
  - port: 53
    protocol: TCP
    name: mine`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 3", err, 409, objects3, "dns", `{
  "apiVersion": "v1",
  "kind": "Service",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:ports": {
              "k:{\"port\":53,\"protocol\":\"TCP\"}": {
                ".": {},
                "f:name": {},
                "f:port": {}
              }
            },
            "f:selector": {}
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:ports": {
              "k:{\"port\":53,\"protocol\":\"UDP\"}": {
                ".": {},
                "f:name": {},
                "f:port": {},
                "f:protocol": {}
              }
            }
          }
        },
        "manager": "bob",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "dns",
    "namespace": "default"
  },
  "spec": {
    "internalTrafficPolicy": "Cluster",
    "ipFamilies": [
      "IPv4"
    ],
    "ipFamilyPolicy": "SingleStack",
    "ports": [
      {
        "name": "dns-tcp",
        "port": 53,
        "protocol": "TCP",
        "targetPort": 53
      },
      {
        "name": "dns-udp",
        "port": 53,
        "protocol": "UDP",
        "targetPort": 53
      }
    ],
    "selector": {
      "app": "dns"
    },
    "sessionAffinity": "None",
    "type": "ClusterIP"
  },
  "status": {
    "loadBalancer": {}
  }
}`)
}
