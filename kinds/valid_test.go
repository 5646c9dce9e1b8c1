package kinds_test

import (
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

const validStatefulSet = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","namespace":"shop"},
"spec":{"replicas":1,"revisionHistoryLimit":10,"serviceName":"db","podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}},
"selector":{"matchLabels":{"app":"db"}},"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},
 "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"}}],
"template":{"metadata":{"labels":{"app":"db"}},"spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst","terminationGracePeriodSeconds":30,"os":{"name":"linux"},"schedulerName":"default-scheduler","securityContext":{},
 "resourceClaims":[{"name":"gpu","resourceClaimName":"gpu"}],"volumes":[{"name":"config","emptyDir":{}}],
 "containers":[
  {"name":"db","image":"db:1","imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
   "volumeMounts":[{"name":"data","mountPath":"/data"},{"name":"config","mountPath":"/etc/db"}],"resources":{"claims":[{"name":"gpu"}]},
   "lifecycle":{"preStop":{"sleep":{"seconds":20}},"stopSignal":"SIGUSR1"}},
  {"name":"log","image":"log:1","imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}]}]}}}}`

// TestUnchangedContainersAreNotRevalidated checks that a container of a valid object is validated
// again only if a field changed on which its rules depend.
func TestUnchangedContainersAreNotRevalidated(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := catalog.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"})
	if !ok {
		t.Fatal("no StatefulSet")
	}
	valid := parsed(t, validStatefulSet)
	strategy := kinds.For(kind)
	if errs := strategy.Validate(kind, "", valid, document.Value{}); len(errs) > 0 {
		t.Fatalf("the object is not valid: %v", errs)
	}
	cases := []struct {
		reason, operations string
		errors             int
	}{
		{"a field on which no container depends", `[{"op":"replace","path":"/spec/replicas","value":2}]`, 0},
		{"the container itself", `[{"op":"replace","path":"/spec/template/spec/containers/1/image","value":""}]`, 1},
		{"a container before it is removed", `[{"op":"remove","path":"/spec/template/spec/containers/0"}]`, 0},
		{"a container after it has the same name and port", `[{"op":"copy","from":"/spec/template/spec/containers/1","path":"/spec/template/spec/containers/-"}]`, 2},
		{"a volume that it mounts", `[{"op":"remove","path":"/spec/template/spec/volumes"}]`, 1},
		{"a claim template that it mounts", `[{"op":"replace","path":"/spec/volumeClaimTemplates/0/metadata/name","value":"other"}]`, 1},
		{"a resource claim that it uses", `[{"op":"remove","path":"/spec/template/spec/resourceClaims"}]`, 1},
		{"the grace period of its lifecycle hook", `[{"op":"replace","path":"/spec/template/spec/terminationGracePeriodSeconds","value":10}]`, 1},
		{"the operating system, which determines the stop signals", `[{"op":"replace","path":"/spec/template/spec/os/name","value":"windows"}]`, 1},
	}
	for _, c := range cases {
		object, err := patch.JSON(valid, parsed(t, c.operations), patch.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		want := strategy.Validate(kind, "", object, document.Value{})
		got := strategy.ValidateUpdate(kind, "", object, document.Value{}, valid)
		if len(want) != c.errors || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: errors are\n%v, want %d:\n%v", c.reason, got, c.errors, want)
		}
	}
}

func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}
