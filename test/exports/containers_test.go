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

// TestTwoManagersInOneListOfContainers runs the scenario "Two managers in one list of containers".
// containers is a keyed list: each item is found by its name and has owners of its own. A sidecar can be added without knowing the rest.
func TestTwoManagersInOneListOfContainers(t *testing.T) {
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

	// Step 1: developer, apply.
	objects1 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	_, err = objects1.Patch(ctx, "web", types.ApplyPatchType, []byte(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: example.com/web:1`), metav1.PatchOptions{FieldManager: "developer", FieldValidation: "Strict", Force: new(false)})
	expect("step 1", err, 0, objects1, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
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
        "manager": "developer",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      }
    ],
    "name": "web",
    "namespace": "default"
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
            "image": "example.com/web:1",
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
  "status": {}
}`)

	// Step 2: mesh, apply. A second item under another key is no conflict.
	objects2 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	_, err = objects2.Patch(ctx, "web", types.ApplyPatchType, []byte(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: proxy
        image: example.com/proxy:4`), metav1.PatchOptions{FieldManager: "mesh", FieldValidation: "Strict", Force: new(false)})
	expect("step 2", err, 0, objects2, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
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
        "manager": "developer",
        "operation": "Apply",
        "time": "2026-01-01T09:00:00Z"
      },
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:template": {
              "f:spec": {
                "f:containers": {
                  "k:{\"name\":\"proxy\"}": {
                    ".": {},
                    "f:image": {},
                    "f:name": {}
                  }
                }
              }
            }
          }
        },
        "manager": "mesh",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      }
    ],
    "name": "web",
    "namespace": "default"
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
            "image": "example.com/web:1",
            "imagePullPolicy": "IfNotPresent",
            "name": "web",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
          },
          {
            "image": "example.com/proxy:4",
            "imagePullPolicy": "IfNotPresent",
            "name": "proxy",
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
  "status": {}
}`)

	// Step 3: developer, apply. A new image changes one item. The proxy stays.
	objects3 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	_, err = objects3.Patch(ctx, "web", types.ApplyPatchType, []byte(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: example.com/web:2`), metav1.PatchOptions{FieldManager: "developer", FieldValidation: "Strict", Force: new(false)})
	expect("step 3", err, 0, objects3, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:spec": {
            "f:template": {
              "f:spec": {
                "f:containers": {
                  "k:{\"name\":\"proxy\"}": {
                    ".": {},
                    "f:image": {},
                    "f:name": {}
                  }
                }
              }
            }
          }
        },
        "manager": "mesh",
        "operation": "Apply",
        "time": "2026-01-01T09:01:00Z"
      },
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
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
        "manager": "developer",
        "operation": "Apply",
        "time": "2026-01-01T09:02:00Z"
      }
    ],
    "name": "web",
    "namespace": "default"
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
            "image": "example.com/web:2",
            "imagePullPolicy": "IfNotPresent",
            "name": "web",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
          },
          {
            "image": "example.com/proxy:4",
            "imagePullPolicy": "IfNotPresent",
            "name": "proxy",
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
  "status": {}
}`)

	// Step 4: mesh, apply. Applied without the item, it goes with its only owner.
	objects4 := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	_, err = objects4.Patch(ctx, "web", types.ApplyPatchType, []byte(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web`), metav1.PatchOptions{FieldManager: "mesh", FieldValidation: "Strict", Force: new(false)})
	expect("step 4", err, 0, objects4, "web", `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {
    "managedFields": [
      {
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
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
        "manager": "developer",
        "operation": "Apply",
        "time": "2026-01-01T09:02:00Z"
      }
    ],
    "name": "web",
    "namespace": "default"
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
            "image": "example.com/web:2",
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
  "status": {}
}`)
}
