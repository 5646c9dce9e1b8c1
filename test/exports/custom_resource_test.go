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

// TestAKindOfOneSOwn runs the scenario "A kind of one's own".
// A CustomResourceDefinition says how the fields of a kind merge. Here rules are a keyed list with a default in its key, tags a set, and limits an atomic object.
func TestAKindOfOneSOwn(t *testing.T) {
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
		Values: []any{
			object(`{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
    "name": "gates.example.com"
  },
  "spec": {
    "group": "example.com",
    "names": {
      "kind": "Gate",
      "listKind": "GateList",
      "plural": "gates",
      "singular": "gate"
    },
    "scope": "Namespaced",
    "versions": [
      {
        "name": "v1",
        "schema": {
          "openAPIV3Schema": {
            "properties": {
              "spec": {
                "properties": {
                  "limits": {
                    "additionalProperties": {
                      "type": "integer"
                    },
                    "type": "object",
                    "x-kubernetes-map-type": "atomic"
                  },
                  "rules": {
                    "items": {
                      "properties": {
                        "host": {
                          "type": "string"
                        },
                        "scheme": {
                          "default": "https",
                          "type": "string"
                        },
                        "weight": {
                          "type": "integer"
                        }
                      },
                      "required": [
                        "host"
                      ],
                      "type": "object"
                    },
                    "type": "array",
                    "x-kubernetes-list-map-keys": [
                      "host",
                      "scheme"
                    ],
                    "x-kubernetes-list-type": "map"
                  },
                  "tags": {
                    "items": {
                      "type": "string"
                    },
                    "type": "array",
                    "x-kubernetes-list-type": "set"
                  }
                },
                "type": "object"
              }
            },
            "type": "object"
          }
        },
        "served": true,
        "storage": true
      }
    ]
  }
}`),
		},
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
	objects1 := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gates"}).Namespace("default")
	_, err = objects1.Patch(ctx, "front", types.ApplyPatchType, []byte(`apiVersion: example.com/v1
kind: Gate
metadata:
  name: front
spec:
  rules:
  - host: a.example.com
    weight: 10
  tags: [public]
  limits:
    perSecond: 100`), metav1.PatchOptions{FieldManager: "alice", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "front", `{
  "apiVersion": "example.com/v1",
  "kind": "Gate",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:limits": {},
            "f:rules": {
              "k:{\"host\":\"a.example.com\",\"scheme\":\"https\"}": {
                ".": {},
                "f:host": {},
                "f:weight": {}
              }
            },
            "f:tags": {
              "v:\"public\"": {}
            }
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "front",
    "namespace": "default"
  },
  "spec": {
    "limits": {
      "perSecond": 100
    },
    "rules": [
      {
        "host": "a.example.com",
        "scheme": "https",
        "weight": 10
      }
    ],
    "tags": [
      "public"
    ]
  }
}`)

	// Step 2: bob, apply. Other items in the list and in the set are free to add.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gates"}).Namespace("default")
	_, err = objects2.Patch(ctx, "front", types.ApplyPatchType, []byte(`apiVersion: example.com/v1
kind: Gate
metadata:
  name: front
spec:
  rules:
  - host: a.example.com
    scheme: http
    weight: 1
  tags: [beta]`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 0, objects2, "front", `{
  "apiVersion": "example.com/v1",
  "kind": "Gate",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:limits": {},
            "f:rules": {
              "k:{\"host\":\"a.example.com\",\"scheme\":\"https\"}": {
                ".": {},
                "f:host": {},
                "f:weight": {}
              }
            },
            "f:tags": {
              "v:\"public\"": {}
            }
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:rules": {
              "k:{\"host\":\"a.example.com\",\"scheme\":\"http\"}": {
                ".": {},
                "f:host": {},
                "f:scheme": {},
                "f:weight": {}
              }
            },
            "f:tags": {
              "v:\"beta\"": {}
            }
          }
        },
        "manager": "bob",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "front",
    "namespace": "default"
  },
  "spec": {
    "limits": {
      "perSecond": 100
    },
    "rules": [
      {
        "host": "a.example.com",
        "scheme": "https",
        "weight": 10
      },
      {
        "host": "a.example.com",
        "scheme": "http",
        "weight": 1
      }
    ],
    "tags": [
      "public",
      "beta"
    ]
  }
}`)

	// Step 3: bob, apply. limits is atomic. Another member means another object, and a conflict.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gates"}).Namespace("default")
	_, err = objects3.Patch(ctx, "front", types.ApplyPatchType, []byte(`apiVersion: example.com/v1
kind: Gate
metadata:
  name: front
spec:
  rules:
  - host: a.example.com
    scheme: http
    weight: 1
  tags: [beta]
  limits:
    perHour: 1000`), metav1.PatchOptions{FieldManager: "bob", FieldValidation: "Strict", Force: new(false)})
	expect("step 3", err, 409, objects3, "front", `{
  "apiVersion": "example.com/v1",
  "kind": "Gate",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:limits": {},
            "f:rules": {
              "k:{\"host\":\"a.example.com\",\"scheme\":\"https\"}": {
                ".": {},
                "f:host": {},
                "f:weight": {}
              }
            },
            "f:tags": {
              "v:\"public\"": {}
            }
          }
        },
        "manager": "alice",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:rules": {
              "k:{\"host\":\"a.example.com\",\"scheme\":\"http\"}": {
                ".": {},
                "f:host": {},
                "f:scheme": {},
                "f:weight": {}
              }
            },
            "f:tags": {
              "v:\"beta\"": {}
            }
          }
        },
        "manager": "bob",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "front",
    "namespace": "default"
  },
  "spec": {
    "limits": {
      "perSecond": 100
    },
    "rules": [
      {
        "host": "a.example.com",
        "scheme": "https",
        "weight": 10
      },
      {
        "host": "a.example.com",
        "scheme": "http",
        "weight": 1
      }
    ],
    "tags": [
      "public",
      "beta"
    ]
  }
}`)
}
