package explain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

const webDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
`

// container and head are prefixes of paths in the cases.
const (
	container = `.spec.template.spec.containers[name="web"]`
	head      = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop"
)

// reasonCases are changes to the Deployment, each with the rule for one field.
var reasonCases = []struct {
	name   string
	action patchlab.Action
	by     string
	change string
	want   string // path, effect and rule
	why    string
}{
	{"a manifest without a field", patchlab.ActionApply, "alice", head + "}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1'}]}}}}",
		container + `.env[name="A"].value removed apply/prune`, "the last owner gave the field up"},
	{"a manifest without a defaulted field", patchlab.ActionApply, "alice", head + "}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1'}]}}}}",
		".spec.replicas set default", "2 was pruned, and the default is 1"},
	{"a conflict", patchlab.ActionApply, "bob", head + "}, spec: {replicas: 3}}",
		".spec.replicas conflicting apply/conflict", "alice owns it"},
	{"the same value", patchlab.ActionApply, "bob", head + "}, spec: {replicas: 2}}",
		".spec.replicas shared apply/share", "both own it"},
	{"a null for a default", patchlab.ActionMergePatch, "bob", "{spec: {revisionHistoryLimit: null}}",
		".spec.revisionHistoryLimit kept default", "the default comes back"},
	{"a null for nothing", patchlab.ActionMergePatch, "bob", "{spec: {paused: null}}",
		".spec.paused ignored merge/null-of-nothing", "there is nothing to remove"},
	{"a list in a merge patch", patchlab.ActionMergePatch, "bob", "{spec: {template: {spec: {containers: [{name: web, image: 'web:2'}]}}}}",
		container + `.env[name="B"].value removed merge/list-replaced`, "merge patches replace lists"},
	{"a list in a strategic merge patch", patchlab.ActionStrategicPatch, "bob", "{spec: {template: {spec: {containers: [{name: web, env: [{name: A, $patch: delete}]}]}}}}",
		container + `.env[name="A"].value removed strategic/patch-delete`, "a patch directive"},
	{"another owner's field", patchlab.ActionStrategicPatch, "bob", "{spec: {replicas: 4}}",
		".spec.replicas taken over strategic/value-replaces", "an update never conflicts"},
	{"a JSON patch", patchlab.ActionJSONPatch, "bob", "[{op: remove, path: /spec/template/spec/containers/0/env/1}]",
		container + `.env[name="B"].name removed json/remove`, "indices refer to the object before the patch"},
	{"an object without a field", patchlab.ActionUpdate, "bob", head + ", labels: {a: b}}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1'}]}}}}",
		container + `.env[name="A"].value removed body/left-out`, "an update is the whole object"},
	{"the status through the object", patchlab.ActionMergePatch, "bob", "{status: {replicas: 7}}",
		".status.replicas ignored strategy/reset", "the status has its own endpoint"},
	{"an empty object in a manifest", patchlab.ActionApply, "bob", head + "}, spec: {template: {spec: {nodeSelector: {}}}}}",
		".spec.template.spec.nodeSelector ignored empty-dropped", "the kind has the field, but leaves it out if it is empty"},
	{"an empty number in a patch", patchlab.ActionMergePatch, "bob", "{spec: {minReadySeconds: 0}}",
		".spec.minReadySeconds ignored empty-dropped", "zero is left out as well"},
	{"a field with two names", patchlab.ActionApply, "bob", head + "}, spec: {template: {spec: {serviceAccount: robot}}}}",
		".spec.template.spec.serviceAccountName set converted", "the value is that of the other name"},
	{"metadata of the server", patchlab.ActionMergePatch, "bob", "{metadata: {generation: 9}}",
		".metadata.generation kept server-set", "the API server increments it"},
	{"an immutable field", patchlab.ActionMergePatch, "bob", "{spec: {selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}}}}",
		".spec.selector refused refused/immutable", "a Deployment's selector never changes"},
	{"an unknown field", patchlab.ActionMergePatch, "bob", "{spec: {replica: 1}}",
		".spec.replica ignored pruned", "field validation of patches is Warn"},
	{"an unknown field in a client-side apply", patchlab.ActionClientApply, "bob", head + "}, spec: {replica: 1}}",
		".spec.replica refused refused/strict", "kubectl apply asks for strict field validation"},
	{"an unknown field in an apply", patchlab.ActionApply, "bob", head + "}, spec: {replica: 1}}",
		".spec.replica refused refused/unknown", "no field validation drops it"},
	{"a default that a configuration states", patchlab.ActionApply, "bob", head + "}, spec: {progressDeadlineSeconds: 600}}",
		".spec.progressDeadlineSeconds owned apply/own", "nobody owned the default, so no other manager has the field"},
	{"a wrong type", patchlab.ActionMergePatch, "bob", "{spec: {replicas: many}}",
		".spec.replicas refused refused/type", "a string in a numeric field"},
}

// TestReasonsOfAFirstApply checks that a field that the configuration lacks is not said to be owned because the
// configuration has it: of an object without managers, before-first-apply owns what the applier does not.
func TestReasonsOfAFirstApply(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const live = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {shared: x, other: z}}"
	const manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {shared: x, new: v}}"
	result, err := lab.Apply(patchlab.Bytes(live), patchlab.Bytes(manifest), patchlab.ApplyOptions{FieldManager: "alice", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range result.Reasons() {
		got[r.Path.String()] = fmt.Sprint(r.Effect, " ", r.Rule)
	}
	for path, want := range map[string]string{
		".data.other":  "owned apply/first",
		".data.shared": "shared apply/share",
		".data.new":    "set apply/own",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
}

// TestReasons changes a Deployment that "alice" applied and checks the rule for one field.
func TestReasons(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	created, err := lab.Apply(nil, patchlab.Bytes([]byte(webDeployment)), patchlab.ApplyOptions{FieldManager: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range reasonCases {
		t.Run(c.name, func(t *testing.T) {
			var reasons []explain.Reason
			change := patchlab.Change{Action: c.action, FieldManager: c.by, Explain: true}
			for result, err := range lab.Run(created.After, patchlab.Bytes([]byte(c.change)), change) {
				var failed *patchlab.Error
				switch {
				case errors.As(err, &failed):
					reasons = failed.Reasons()
				case err != nil:
					t.Fatal(err)
				default:
					reasons = result.Reasons()
				}
			}
			var got []string
			for _, r := range reasons {
				text := fmt.Sprint(r.Path, " ", r.Effect, " ", r.Rule)
				if text == c.want {
					return
				}
				got = append(got, text)
			}
			t.Errorf("there is no reason %q (%s) among\n%q", c.want, c.why, got)
		})
	}
}

// TestReasonsOfKubectlAfterClientSideApply checks that an apply which nobody forced is not called forced, and
// that objects with members in the configuration do not count as fields that it lacks.
func TestReasonsOfKubectlAfterClientSideApply(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	manifest := func(v string) patchlab.Input {
		return patchlab.Bytes([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {v: '" + v + "'}}, data: {a: x}}"))
	}
	var live *patchlab.Object
	for result, err := range lab.Run(nil, manifest("1"), patchlab.Change{Action: patchlab.ActionClientApply}) {
		if err != nil {
			t.Fatal(err)
		}
		live = result.After
	}
	for result, err := range lab.Run(live, manifest("2"), patchlab.Change{Action: patchlab.ActionApply, FieldManager: "kubectl", Explain: true}) {
		if err != nil {
			t.Fatal(err)
		}
		text := map[string]string{}
		for _, r := range result.Reasons() {
			text[r.Path.String()] = r.Text
		}
		if got := text[".metadata.labels.v"]; !strings.HasPrefix(got, "kubectl overrides conflicts with its own client-side apply") {
			t.Errorf(".metadata.labels.v: %s", got)
		}
		if got, ok := text[".metadata.labels"]; ok {
			t.Errorf(".metadata.labels: %s", got)
		}
	}
}

// TestReasonsOfNormalizedTransfer checks that a field that a forced apply takes over with another spelling is
// explained by the transfer, and that an apply is not said to request the empty objects of a new object.
func TestReasonsOfNormalizedTransfer(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(live *patchlab.Object, manager, cpu string) (*patchlab.Object, map[string]explain.Reason) {
		t.Helper()
		input := patchlab.Bytes([]byte("{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {cpu: " + cpu + "}}}"))
		var before patchlab.Input
		if live != nil {
			before = live
		}
		reasons := map[string]explain.Reason{}
		for result, err := range lab.Run(before, input, patchlab.Change{Action: patchlab.ActionApply, FieldManager: manager, Force: true, Explain: true}) {
			if err != nil {
				t.Fatal(err)
			}
			live = result.After
			for _, r := range result.Reasons() {
				reasons[r.Path.String()] = r
			}
		}
		return live, reasons
	}
	live, created := apply(nil, "alice", "100m")
	if r := created[".status"]; r.Effect == explain.Ignored {
		t.Errorf(".status %s by %s, which the configuration does not have", r.Effect, r.Rule)
	}
	_, changed := apply(live, "bob", "1000m")
	const cpu = ".spec.hard.cpu"
	if r := changed[cpu]; r.Rule != explain.Rule(fieldmanager.RuleTransfer) {
		t.Errorf("%s by %s, after %s", cpu, r.Rule, r.Also)
	}
}

// TestReasonsOfRemoval checks the reasons for fields without an owner that are removed with the item that contains
// them, and that an apply which removes all members of an object is not said to request null.
func TestReasonsOfRemoval(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reasonsOf := func(first, second string) map[string]explain.Reason {
		t.Helper()
		var live patchlab.Input
		reasons := map[string]explain.Reason{}
		for _, manifest := range []string{first, second} {
			for result, err := range lab.Run(live, patchlab.Bytes([]byte(manifest)), patchlab.Change{Action: patchlab.ActionApply, FieldManager: "alice", Explain: true}) {
				if err != nil {
					t.Fatal(err)
				}
				live = result.After
				clear(reasons)
				for _, r := range result.Reasons() {
					reasons[r.Path.String()] = r
				}
			}
		}
		return reasons
	}
	const service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: ["
	got := reasonsOf(service+"{name: a, port: 1}, {name: b, port: 2}]}}", service+"{name: a, port: 1}]}}")
	const port = `.spec.ports[port=2,protocol="TCP"].targetPort`
	if r := got[port]; r.Rule != explain.RuleWithParent || strings.Contains(r.Text, "another manager") || strings.Contains(r.Expected, "another manager") {
		t.Errorf("%s by %s: %s %s", port, r.Rule, r.Text, r.Expected)
	}
	const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}"
	for _, empty := range []string{", data: {}}", "}"} {
		if r, ok := reasonsOf(configMap+", data: {a: x}}", configMap+empty)[".data"]; ok {
			t.Errorf(".data%s %s by %s, requested: %s", empty, r.Effect, r.Rule, r.Wanted)
		}
	}
	if r := reasonsOf(configMap+"}", configMap+", data: null}")[".data"]; r.Rule != explain.RuleNullDropped {
		t.Errorf(".data: null %s by %s", r.Effect, r.Rule)
	}
	const deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {matchLabels: {app: a}}, " +
		"template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}"
	for _, c := range []struct{ replicas, text, expected string }{
		{"5", "The configuration no longer has the field, and nobody else owns it, so it is removed, and the API server sets its default.",
			"That the value remains. It does if another manager, such as an autoscaler, owns the field when the configuration drops it."},
		{"1", "The configuration no longer has the field, so the applier gives it up; the default that the API server sets is the same value.", ""},
	} {
		r := reasonsOf(deployment+", replicas: "+c.replicas+"}}", deployment+"}}")[".spec.replicas"]
		if r.Rule != explain.RuleDefault || r.Text != c.text || r.Expected != c.expected {
			t.Errorf("replicas %s, then none: %s: %s %s", c.replicas, r.Rule, r.Text, r.Expected)
		}
	}
}

// TestReasonsOfWriteOnlyField checks that a Secret's stringData is not explained as a field that
// the kind does not have.
func TestReasonsOfWriteOnlyField(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {password: "
	created, err := lab.Apply(nil, patchlab.Bytes([]byte(secret+"old}}")), patchlab.ApplyOptions{FieldManager: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range lab.Run(created.After, patchlab.Bytes([]byte(secret+"new}}")), patchlab.Change{Action: patchlab.ActionApply, FieldManager: "alice", Explain: true}) {
		if err != nil {
			t.Fatal(err)
		}
		effects := map[string]explain.Effect{".stringData": explain.Ignored, ".data.password": explain.Set}
		for _, r := range result.Reasons() {
			want, ok := effects[r.Path.String()]
			if ok && (r.Rule != explain.RuleConverted || r.Effect != want) {
				t.Errorf("%s: %s %s, want %s %s", r.Path, r.Effect, r.Rule, want, explain.RuleConverted)
			}
			delete(effects, r.Path.String())
		}
		if len(effects) > 0 {
			t.Errorf("no reason for %v among %v", effects, result.Reasons())
		}
	}
}

// TestReasonsOfNewObject checks that members which the manifest lacks are not explained as applied.
func TestReasonsOfNewObject(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range lab.Run(nil, patchlab.Bytes([]byte(webDeployment)), patchlab.Change{Action: patchlab.ActionApply, FieldManager: "alice", Explain: true}) {
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]explain.Rule{}
		for _, r := range result.Reasons() {
			rules[r.Path.String()] = r.Rule
		}
		for path, want := range map[string]explain.Rule{".status": explain.RuleEncoded, ".spec.replicas": "apply/own", container + ".image": "apply/own"} {
			if rules[path] != want {
				t.Errorf("%s has the rule %q, want %q", path, rules[path], want)
			}
		}
	}
}

// TestNoReasonsWithoutExplain: without Explain neither a result nor an error has reasons.
func TestNoReasonsWithoutExplain(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	created, err := lab.Apply(nil, patchlab.Bytes([]byte(webDeployment)), patchlab.ApplyOptions{FieldManager: "alice"})
	if err != nil || created.Reasons() != nil {
		t.Errorf("reasons %v, error %v", created.Reasons(), err)
	}
	_, err = lab.Patch(created.After, patchlab.Bytes([]byte(`{"spec":{"replicas":-1}}`)), patchlab.PatchOptions{})
	var failed *patchlab.Error
	if !errors.As(err, &failed) || failed.Reasons() != nil {
		t.Errorf("error %v", err)
	}
}
