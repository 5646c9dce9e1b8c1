package patchlab

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// TestTooLargeForClientSideApply checks the advice on a manifest that does not fit in the last-applied
// annotation, as those of many CustomResourceDefinitions.
func TestTooLargeForClientSideApply(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := Named("large.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata: {text: "+strings.Repeat("x", 256<<10)+"}\n"))
	_, err = lab.ClientApply(nil, config, ApplyOptions{})
	var refused *Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "metadata.annotations: Too long: may not be more than 262144 bytes; "+
		"the last-applied annotation contains the whole manifest; 'kubectl apply --server-side' does not write it") {
		t.Errorf("%v", err)
	}
	if _, err := lab.Apply(nil, config, ApplyOptions{}); err != nil {
		t.Error(err)
	}
}

// TestKeptItemHint checks the advice on an item that is not in the manifest: somebody has changed
// the port, which is the key of the item, so the apply adds a second one with the same name.
func TestKeptItemHint(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const config = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80}
`
	created, err := lab.ClientApply(nil, Named("web.yaml", []byte(config)), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const changePort = `{op: replace, path: /spec/ports/0/port, value: 8080}`
	const addPorts = `{op: add, path: /spec/ports/-, value: {name: a, port: 81}}, {op: add, path: /spec/ports/-, value: {name: b, port: 82}}, {op: add, path: /spec/ports/-, value: {name: c, port: 83}}`
	const kept = `.spec.ports[port=8080,protocol="TCP"] of "ui"`
	for name, test := range map[string]struct {
		apply func(live, config Input, o ApplyOptions) (*Result, error)
		patch string
		kept  string
	}{
		"server-side":             {lab.Apply, changePort, kept},
		"server-side, many items": {lab.Apply, changePort + ", " + addPorts, kept + `, .spec.ports[port=81,protocol="TCP"] of "ui" and 2 more items of the live object`},
		"client-side":             {lab.ClientApply, changePort, "others of the live object"},
	} {
		changed, err := lab.Patch(created.Object(), Named("patch.yaml", []byte("["+test.patch+"]")), PatchOptions{FieldManager: "ui"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = test.apply(changed.Object(), Named("web.yaml", []byte(config)), ApplyOptions{})
		want := `Duplicate value: "http"; .spec.ports has fewer items in the manifest; the apply keeps ` + test.kept + "; 'patchlab diff LIVE PATCH' shows patches that remove such items"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestKeptItemHintOfStatus checks that no item is called kept that the API server maintains: the version of a
// CustomResourceDefinition that is in its status cannot be removed, as kube-apiserver 1.36.3 refuses it.
func TestKeptItemHintOfStatus(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	definition := func(version string) Input {
		return Bytes(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.shop.example}
spec:
  group: shop.example
  names: {kind: Zone, plural: zones}
  scope: Namespaced
  versions:
  - {name: ` + version + `, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`)
	}
	created, err := lab.Apply(nil, definition("v1beta2"), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(created.After, definition("v1"), ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), "v1beta2 was previously a storage version") {
		t.Errorf("%v", err)
	} else if strings.Contains(err.Error(), "fewer items") {
		t.Errorf("the manifest has no status: %v", err)
	}
}

// TestEmptiedObjectHint checks the advice on a status without fields, as a Go type without omitempty prints
// it, of a manager that has applied a field of it: the apply leaves null, which kube-apiserver 1.36.3 refuses.
func TestEmptiedObjectHint(t *testing.T) {
	lab, err := New(Options{CRDs: fstest.MapFS{"crd.yaml": {Data: []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.shop.example}
spec:
  group: shop.example
  names: {kind: Zone, plural: zones}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {serial: {type: integer}}}}}}
`)}}})
	if err != nil {
		t.Fatal(err)
	}
	const zone = "apiVersion: shop.example/v1\nkind: Zone\nmetadata: {name: a, namespace: shop}\n"
	created, err := lab.Create(Bytes(zone), WriteOptions{FieldManager: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	o := ApplyOptions{FieldManager: "dns", Subresource: "status"}
	applied, err := lab.Apply(created.After, Bytes(zone+"status: {serial: 1}"), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(applied.After, Bytes(zone+"status: {}"), o)
	const want = `must be of type object: "null"; the manifest has it empty, and where an apply removes the last field or item it leaves null; omit it from the manifest`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := lab.Apply(applied.After, Bytes(zone), o); err != nil {
		t.Errorf("omitted: %v", err)
	}
}

// TestKeptFieldHint checks the advice on a change that is refused because of a field that the live
// object has and the change omits. kube-apiserver 1.36.3 refuses and accepts the same changes.
func TestKeptFieldHint(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	deployment := func(spec, container, podSpec string) Input {
		return Named("web.yaml", []byte(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
`+spec+`
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1"`+container+`}]
`+podSpec))
	}
	definition := func(conversion string) Input {
		return Named("crd.yaml", []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: certs.shop.example}\nspec:\n"+
			"  group: shop.example\n  names: {kind: Cert, plural: certs}\n  scope: Namespaced\n"+conversion+
			"  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n"))
	}
	const (
		conversion = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: w, namespace: shop, path: /c}}}}\n"
		valueFrom  = ", env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]"
		claim      = "      volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"
		apply      = ", and an apply removes only what kubectl alone has applied before; 'patchlab diff LIVE PATCH' shows patches that remove it"
		null       = "; set it to null to remove it"
		pod        = "the live object has .spec.template.spec"
	)
	value := deployment("", `, env: [{name: A, value: "1"}]`, "")
	two := `, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: B, value: "2"}]`
	for _, c := range []struct {
		why, hint    string
		applied      string // the manager that applied the live object, "" if it was created
		then         string // a merge patch by another manager, "" for none
		live, change Input
		action       Action
	}{
		{why: "a default that the new strategy excludes", applied: "kubectl", live: deployment("", "", ""), change: deployment("  strategy: {type: Recreate}", "", ""), action: ActionApply,
			hint: "the live object has .spec.strategy.rollingUpdate" + apply},
		{why: "in an apply, null does not remove it", applied: "kubectl", live: deployment("", "", ""), change: deployment("  strategy: {type: Recreate, rollingUpdate: null}", "", ""), action: ActionApply,
			hint: "the live object has .spec.strategy.rollingUpdate" + apply},
		{why: "in a patch", live: deployment("", "", ""), change: Named("p.yaml", []byte("spec: {strategy: {type: Recreate}}")), action: ActionStrategicPatch,
			hint: "the live object has .spec.strategy.rollingUpdate" + null},
		{why: "a value beside its source, created by another client", live: value, change: deployment("", valueFrom, ""), action: ActionApply,
			hint: pod + ".containers[0].env[0].value" + apply},
		{why: "in a client-side apply", live: value, change: deployment("", valueFrom, ""), action: ActionClientApply,
			hint: pod + ".containers[0].env[0].value" + null},
		{why: "an item that is at another index has no advice", live: deployment("", `, env: [{name: B, value: "2"}, {name: A, value: "1"}]`, ""), change: deployment("", two, ""), action: ActionApply},
		{why: "a second source of a volume", live: deployment("", "", "      volumes: [{name: v, emptyDir: {}}]"), change: deployment("", "", claim), action: ActionApply,
			hint: pod + ".volumes[0].emptyDir" + apply},
		{why: "both sources are in the manifest", live: deployment("", "", ""), change: deployment("", "", "      volumes: [{name: v, emptyDir: {}, persistentVolumeClaim: {claimName: c}}]"), action: ActionApply},
		{why: "a field of another manager in an object that the manifest omits (kubernetes#108081)", applied: "kubectl", live: definition(conversion), change: definition(""), action: ActionApply,
			then: "spec: {conversion: {webhook: {clientConfig: {service: {port: 8443}}}}}",
			hint: "the live object has .spec.conversion.webhook.clientConfig" + apply},
	} {
		live, err := lab.Apply(nil, c.live, ApplyOptions{FieldManager: c.applied})
		if c.applied == "" {
			live, err = lab.Create(c.live, WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.then != "" {
			if live, err = lab.Patch(live.Object(), Bytes([]byte(c.then)), PatchOptions{Type: patch.TypeMerge, FieldManager: "injector"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range lab.Run(live.Object(), c.change, Change{Action: c.action}) {
			var refused *Error
			if !errors.As(err, &refused) || len(refused.Fields) == 0 {
				t.Errorf("%s: %v", c.why, err)
				continue
			}
			got := ""
			for _, f := range refused.Fields {
				got = cmp.Or(got, f.Hint)
			}
			if got != c.hint {
				t.Errorf("%s: hint %q, want %q", c.why, got, c.hint)
			}
		}
	}
}

// TestOutdatedVersionAdvice checks the advice on a manifest with the resourceVersion of an earlier
// export, whose refusal looks like that of a concurrent change.
func TestOutdatedVersionAdvice(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	live := Bytes([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, uid: u, resourceVersion: '7'}\ndata: {k: v}\n"))
	exported := Named("a.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, resourceVersion: '5'}\ndata: {k: w}\n"))
	for name, apply := range map[string]func(live, config Input, o ApplyOptions) (*Result, error){"server-side": lab.Apply, "client-side": lab.ClientApply} {
		_, err = apply(live, exported, ApplyOptions{Force: name == "server-side"})
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != 409 || refused.Position.String() != "a.yaml:3:55" ||
			!strings.HasSuffix(err.Error(), "\nmetadata.resourceVersion is not that of the live object; without it, an apply or a patch is not refused") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDuplicateItemHint checks that the error of an apply names each of the items with the same key: its own position
// is that of the first, and the one to remove is usually another.
func TestDuplicateItemHint(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const manifest = `
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: web
    image: web:1
    env:
    - {name: LEVEL, value: info}
    - {name: CACHE, value: "1"}
    - {name: LEVEL, value: debug}
  - name: web
    image: web:2
`
	const want = `the applied configuration does not match the schema of its kind (API server response: 500)
  a.yaml:10:7: .spec.containers[name="web"].env[name="LEVEL"]: duplicate item in the list; the items [0] in line 10 and [2] in line 12 have this key
  a.yaml:7:5: .spec.containers[name="web"]: duplicate item in the list; the items [0] in line 7 and [1] in line 13 have this key`
	if _, err = lab.Apply(nil, Named("a.yaml", []byte(manifest)), ApplyOptions{FieldManager: "a"}); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	// A parsed object has no lines.
	const items = "; the items [0] and [1] have this key"
	parsed, err := document.Parse([]byte(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 1}, {"port": 1}]}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(nil, parsed.Root, ApplyOptions{FieldManager: "a"})
	if err == nil || !strings.Contains(err.Error(), items) {
		t.Errorf("got %v, want %s", err, items)
	}
}
