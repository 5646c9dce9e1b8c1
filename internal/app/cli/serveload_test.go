package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

const loadedObjects = `apiVersion: v1
kind: List
items:
- apiVersion: lab.example.com/v1
  kind: Widget
  metadata:
    name: w
    namespace: lab
    resourceVersion: "77"
    managedFields:
    - {apiVersion: lab.example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:note": {}}}, manager: me, operation: Apply}
  spec: {note: hello, replicas: 3}
  status: {phase: Up}
---
apiVersion: v1
kind: Namespace
metadata: {name: lab}
`

// dump has objects as they are in every cluster, with the address of another cluster.
const dump = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {a: b}}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default}, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 443}]}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-node-critical}, value: 2000001000}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: default}}
- {apiVersion: v1, kind: Service, metadata: {name: own, namespace: default}, spec: {clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ports: [{port: 443}]}}
- apiVersion: networking.k8s.io/v1
  kind: IPAddress
  metadata: {name: 10.0.0.7, uid: 11111111-1111-4111-8111-111111111111}
  spec: {parentRef: {resource: services, namespace: default, name: own}}
`

// TestServeLoadsADump checks that the objects of a dump that every cluster has are skipped.
func TestServeLoadsADump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(file, []byte(dump), 0o600); err != nil {
		t.Fatal(err)
	}
	url, errors, stop := startServe(t, "--load", file)
	for name, want := range map[string]int{"services/kubernetes": 200, "configmaps/own": 200, "configmaps/other": 404} {
		answer, err := http.Get(url + "/api/v1/namespaces/default/" + name)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", name, answer.StatusCode, want)
		}
	}
	answer, err := http.Get(url + "/apis/networking.k8s.io/v1/ipaddresses/10.0.0.7")
	if text := bodyOf(t, answer, err); !strings.Contains(text, "11111111-1111-4111-8111-111111111111") {
		t.Errorf("the IPAddress of the dump is %s", text)
	}
	stop()
	if text := errors.String(); !strings.Contains(text, "--load: 3 objects that the cluster already has skipped\n") {
		t.Errorf("notes: %s", text)
	}
}

// TestServeDefinitionsTwice checks that a definition may be in several files of --crd and in a dump.
func TestServeDefinitionsTwice(t *testing.T) {
	const widgets = "../../../testdata/crds/widgets.yaml"
	text, err := os.ReadFile(widgets)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"old.yaml", "dump.yaml"} {
		old := strings.Replace(string(text), "[wdg]", "[old]", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url, errors, stop := startServe(t, "--crd", filepath.Join(dir, "old.yaml"), "--crd", widgets, "--load", filepath.Join(dir, "dump.yaml"))
	resp, err := http.Get(url + "/apis/lab.example.com/v1")
	if list := bodyOf(t, resp, err); !strings.Contains(list, `"name":"widgets"`) || strings.Contains(list, `"old"`) {
		t.Errorf("%s of %s, want the last definition of --crd", resp.Status, list)
	}
	stop()
	for _, want := range []string{
		"Warning: --crd: " + filepath.Join(dir, "old.yaml") + ":1:1 is not used, because " + widgets + ":",
		"--load: 1 object that the cluster already has skipped\n",
	} {
		if !strings.Contains(errors.String(), want) {
			t.Errorf("notes: %s\nwant %s", errors, want)
		}
	}
}

// owned is a dump of an owner and its dependent, of a Job whose labels contain its uid, and of a
// Pod that is being debugged and deleted.
const owned = `apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: owner, namespace: default, uid: 11111111-1111-4111-8111-111111111111, generation: 4, creationTimestamp: "2026-01-02T03:04:05Z"}
  spec:
    selector: {matchLabels: {app: a}}
    template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, image: i}]}}
  status: {observedGeneration: 4}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: dependent
    namespace: default
    ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: owner, uid: 11111111-1111-4111-8111-111111111111}]
- apiVersion: batch/v1
  kind: Job
  metadata: {name: job, namespace: default, uid: 21111111-1111-4111-8111-111111111111, labels: {batch.kubernetes.io/controller-uid: 21111111-1111-4111-8111-111111111111}}
  spec:
    selector: {matchLabels: {batch.kubernetes.io/controller-uid: 21111111-1111-4111-8111-111111111111}}
    template:
      metadata: {labels: {batch.kubernetes.io/controller-uid: 21111111-1111-4111-8111-111111111111, batch.kubernetes.io/job-name: job, controller-uid: 21111111-1111-4111-8111-111111111111, job-name: job}}
      spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: pod, namespace: default, deletionTimestamp: "2026-01-02T03:04:05Z", deletionGracePeriodSeconds: 30}
  spec: {containers: [{name: c, image: i}], ephemeralContainers: [{name: debug, image: i}]}
  status: {phase: Running}
`

// TestServeKeepsOwnersOfADump checks that the objects of a dump keep the uids by which they refer
// to each other, so that the garbage collector does not delete them, their generations, and what
// can only be set after the creation.
func TestServeKeepsOwnersOfADump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(file, []byte(owned), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _, stop := startServe(t, "--load", file, "--controllers", "gc")
	defer stop()
	get := func(path string) document.Value {
		answer, err := http.Get(url + path)
		text := bodyOf(t, answer, err)
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %d", path, answer.StatusCode)
		}
		d, err := document.Parse([]byte(text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	owner := get("/apis/apps/v1/namespaces/default/deployments/owner").Get("metadata")
	const want = `"2026-01-02T03:04:05Z" 4 "11111111-1111-4111-8111-111111111111"`
	if got := fmt.Sprint(owner.Get("creationTimestamp"), owner.Get("generation"), owner.Get("uid")); got != want {
		t.Errorf("the owner has %s, want %s", got, want)
	}
	get("/apis/batch/v1/namespaces/default/jobs/job")
	pod := get("/api/v1/namespaces/default/pods/pod")
	if got := fmt.Sprint(pod.Lookup("metadata", "deletionTimestamp"), pod.Lookup("spec", "ephemeralContainers").Len(), pod.Lookup("status", "phase")); got != `"2026-01-02T03:04:05Z" 1 "Running"` {
		t.Errorf("the pod has %s", got)
	}
	// The collector has examined the loaded objects once it deletes one that is created later.
	orphan := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"orphan","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`
	answer, err := http.Post(url+"/api/v1/namespaces/default/configmaps", "application/json", strings.NewReader(orphan))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	for {
		answer, err := http.Get(url + "/api/v1/namespaces/default/configmaps/orphan")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusNotFound {
			break
		}
		time.Sleep(time.Millisecond)
	}
	get("/api/v1/namespaces/default/configmaps/dependent")
}

// A dump of a cluster has the APIServices of its versions. The server creates its own.
func TestServeLoadsADumpWithAPIServices(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.yaml")
	service := func(name, group, managed string) string {
		return `
- apiVersion: apiregistration.k8s.io/v1
  kind: APIService
  metadata: {name: v1.` + name + `, uid: of-the-dump, labels: {` + managed + `}}
  spec: {group: ` + group + `, version: v1, groupPriorityMinimum: 1000, versionPriority: 100}`
	}
	text := "apiVersion: v1\nkind: List\nitems:" +
		service("x.example.com", "x.example.com", `kube-aggregator.kubernetes.io/automanaged: "true"`) +
		service("gone.example.com", "gone.example.com", `kube-aggregator.kubernetes.io/automanaged: "true"`) +
		service("apps", "apps", "kube-aggregator.kubernetes.io/automanaged: onstart") +
		service("own.example.com", "own.example.com", "a: b") + `
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: things.x.example.com}
  spec:
    group: x.example.com
    scope: Namespaced
    names: {plural: things, kind: Thing}
    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
	if err := os.WriteFile(dump, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	url, errs, stop := startProgram(t, "serve", "--listen", "127.0.0.1:0", "--admission=false", "--load", dump)
	defer stop()
	for name, want := range map[string]int{"v1.x.example.com": 200, "v1.gone.example.com": 404, "v1.apps": 200, "v1.own.example.com": 200} {
		resp, err := http.Get(url + "/apis/apiregistration.k8s.io/v1/apiservices/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", name, resp.Status, want)
		}
	}
	if !strings.Contains(errs.String(), "--load: 3 objects that the cluster already has skipped") {
		t.Errorf("the notes are %q", errs)
	}
}
