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

// TestLiveObjectsAndACustomResource runs the scenario "Live objects, and a custom resource".
// What a test begins with has its managers, and a status.
func TestLiveObjectsAndACustomResource(t *testing.T) {
	ctx := context.Background()
	object := func(text string) *unstructured.Unstructured {
		t.Helper()
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return o
	}
	clock := patchlabtest.NewClock(time.Date(2026, 3, 4, 17, 2, 0, 0, time.UTC))
	server := patchlabtest.StartWith(t, patchlabtest.Options{
		Now: clock.Now,
		Values: []any{
			object(`{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
    "name": "widgets.lab.example.com"
  },
  "spec": {
    "group": "lab.example.com",
    "names": {
      "kind": "Widget",
      "listKind": "WidgetList",
      "plural": "widgets",
      "singular": "widget"
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
                  "size": {
                    "type": "integer"
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
			object(`{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "annotations": {
      "deployment.kubernetes.io/revision": "1"
    },
    "creationTimestamp": "2026-03-02T08:15:00Z",
    "generation": 3,
    "labels": {
      "app": "web"
    },
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:labels": {
              "f:app": {}
            }
          },
          "f:spec": {
            "f:selector": {},
            "f:template": {
              "f:metadata": {
                "f:labels": {
                  "f:app": {}
                }
              },
              "f:spec": {
                "f:containers": {
                  "k:{\"name\":\"web\"}": {
                    ".": {},
                    "f:image": {},
                    "f:name": {}
                  }
                }
              }
            }
          }
        },
        "manager": "helm",
        "operation": "Apply",
        "time": "2026-03-02T08:15:00Z"
      },
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:replicas": {}
          }
        },
        "manager": "horizontal-pod-autoscaler",
        "operation": "Update",
        "subresource": "scale",
        "time": "2026-03-04T17:00:30Z"
      }
    ],
    "name": "web",
    "namespace": "shop",
    "resourceVersion": "48151623",
    "uid": "9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11"
  },
  "spec": {
    "progressDeadlineSeconds": 600,
    "replicas": 7,
    "revisionHistoryLimit": 10,
    "selector": {
      "matchLabels": {
        "app": "web"
      }
    },
    "strategy": {
      "rollingUpdate": {
        "maxSurge": "25%",
        "maxUnavailable": "25%"
      },
      "type": "RollingUpdate"
    },
    "template": {
      "metadata": {
        "labels": {
          "app": "web"
        }
      },
      "spec": {
        "containers": [
          {
            "image": "nginx:1.27",
            "imagePullPolicy": "IfNotPresent",
            "name": "web",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
          }
        ],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30
      }
    }
  },
  "status": {
    "observedGeneration": 3,
    "replicas": 7
  }
}`),
			object(`{
  "apiVersion": "lab.example.com/v1",
  "kind": "Widget",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "lab.example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:size": {}
          }
        },
        "manager": "ops",
        "operation": "Apply",
        "time": "2026-03-02T08:15:00Z"
      }
    ],
    "name": "w"
  },
  "spec": {
    "size": 1
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

	// Step 1: helm, apply. The autoscaler owns replicas.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("shop")
	_, err = objects1.Patch(ctx, "web", types.ApplyPatchType, []byte(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2}`), metav1.PatchOptions{FieldManager: "helm", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 409, objects1, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "annotations": {
      "deployment.kubernetes.io/revision": "1"
    },
    "labels": {
      "app": "web"
    },
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:labels": {
              "f:app": {}
            }
          },
          "f:spec": {
            "f:selector": {},
            "f:template": {
              "f:metadata": {
                "f:labels": {
                  "f:app": {}
                }
              },
              "f:spec": {
                "f:containers": {
                  "k:{\"name\":\"web\"}": {
                    ".": {},
                    "f:image": {},
                    "f:name": {}
                  }
                }
              }
            }
          }
        },
        "manager": "helm",
        "operation": "Apply",
        "time": "2026-03-02T08:15:00Z"
      },
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:replicas": {}
          }
        },
        "manager": "horizontal-pod-autoscaler",
        "operation": "Update",
        "subresource": "scale",
        "time": "2026-03-04T17:00:30Z"
      }
    ],
    "name": "web",
    "namespace": "shop"
  },
  "spec": {
    "progressDeadlineSeconds": 600,
    "replicas": 7,
    "revisionHistoryLimit": 10,
    "selector": {
      "matchLabels": {
        "app": "web"
      }
    },
    "strategy": {
      "rollingUpdate": {
        "maxSurge": "25%",
        "maxUnavailable": "25%"
      },
      "type": "RollingUpdate"
    },
    "template": {
      "metadata": {
        "labels": {
          "app": "web"
        }
      },
      "spec": {
        "containers": [
          {
            "image": "nginx:1.27",
            "imagePullPolicy": "IfNotPresent",
            "name": "web",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
          }
        ],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30
      }
    }
  },
  "status": {
    "observedGeneration": 3,
    "replicas": 7
  }
}`)

	// Step 2: helm, merge-patch.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("shop")
	_, err = objects2.Patch(ctx, "web", types.MergePatchType, []byte(`{
  "spec": {
    "replicas": 1
  }
}`), metav1.PatchOptions{FieldManager: "helm", FieldValidation: "Strict"}, "scale")
	expect("step 2", err, 0, objects2, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "annotations": {
      "deployment.kubernetes.io/revision": "1"
    },
    "labels": {
      "app": "web"
    },
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {
            "f:labels": {
              "f:app": {}
            }
          },
          "f:spec": {
            "f:selector": {},
            "f:template": {
              "f:metadata": {
                "f:labels": {
                  "f:app": {}
                }
              },
              "f:spec": {
                "f:containers": {
                  "k:{\"name\":\"web\"}": {
                    ".": {},
                    "f:image": {},
                    "f:name": {}
                  }
                }
              }
            }
          }
        },
        "manager": "helm",
        "operation": "Apply",
        "time": "2026-03-02T08:15:00Z"
      },
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:replicas": {}
          }
        },
        "manager": "helm",
        "operation": "Update",
        "subresource": "scale"
      }
    ],
    "name": "web",
    "namespace": "shop"
  },
  "spec": {
    "progressDeadlineSeconds": 600,
    "replicas": 1,
    "revisionHistoryLimit": 10,
    "selector": {
      "matchLabels": {
        "app": "web"
      }
    },
    "strategy": {
      "rollingUpdate": {
        "maxSurge": "25%",
        "maxUnavailable": "25%"
      },
      "type": "RollingUpdate"
    },
    "template": {
      "metadata": {
        "labels": {
          "app": "web"
        }
      },
      "spec": {
        "containers": [
          {
            "image": "nginx:1.27",
            "imagePullPolicy": "IfNotPresent",
            "name": "web",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
          }
        ],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30
      }
    }
  },
  "status": {
    "observedGeneration": 3,
    "replicas": 7
  }
}`)

	// Step 3: ops, json-patch. The label's key is wrong.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	_, err = objects3.Patch(ctx, "w", types.JSONPatchType, []byte("[\n  {\n    \"op\": \"add\",\n    \"path\": \"/metadata/labels\",\n    \"value\": {\n      \"a`b\": \"c\"\n    }\n  },\n  {\n    \"op\": \"replace\",\n    \"path\": \"/spec/size\",\n    \"value\": 2\n  }\n]"), metav1.PatchOptions{FieldManager: "ops", FieldValidation: "Strict"})
	expect("step 3", err, 422, objects3, "w", `{
  "apiVersion": "lab.example.com/v1",
  "kind": "Widget",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "lab.example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:size": {}
          }
        },
        "manager": "ops",
        "operation": "Apply",
        "time": "2026-03-02T08:15:00Z"
      }
    ],
    "name": "w",
    "namespace": "default"
  },
  "spec": {
    "size": 1
  }
}`)

	// Step 4: ops, merge-patch.
	objects4 := client.Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	_, err = objects4.Patch(ctx, "w", types.MergePatchType, []byte(`{
  "spec": {
    "size": 2
  }
}`), metav1.PatchOptions{FieldManager: "ops", FieldValidation: "Strict"})
	expect("step 4", err, 0, objects4, "w", `{
  "apiVersion": "lab.example.com/v1",
  "kind": "Widget",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "lab.example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:size": {}
          }
        },
        "manager": "ops",
        "operation": "Update",
        "time": "2026-03-04T17:05:00Z"
      }
    ],
    "name": "w",
    "namespace": "default"
  },
  "spec": {
    "size": 2
  }
}`)

	// Step 5: ops, merge-patch.
	objects5 := client.Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	_, err = objects5.Patch(ctx, "w", types.MergePatchType, []byte(`{
  "spec": {
    "size": 2
  }
}`), metav1.PatchOptions{FieldManager: "ops", FieldValidation: "Strict"})
	expect("step 5", err, 0, objects5, "w", `{
  "apiVersion": "lab.example.com/v1",
  "kind": "Widget",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "lab.example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:size": {}
          }
        },
        "manager": "ops",
        "operation": "Update",
        "time": "2026-03-04T17:05:00Z"
      }
    ],
    "name": "w",
    "namespace": "default"
  },
  "spec": {
    "size": 2
  }
}`)

	// Step 6: ops, delete.
	objects6 := client.Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	err = objects6.Delete(ctx, "w", metav1.DeleteOptions{})
	expect("step 6", err, 0, objects6, "w", "")

	// Step 7: ops, delete.
	objects7 := client.Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
	err = objects7.Delete(ctx, "w", metav1.DeleteOptions{})
	expect("step 7", err, 404, objects7, "w", "")
}
