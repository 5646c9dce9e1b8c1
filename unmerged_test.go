package patchlab_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
)

// TestUnmergedPartsAreNoted checks the notes about what a manifest has and the result of its client-side
// apply has not. The results are those of kubectl and kube-apiserver 1.36.3.
func TestUnmergedPartsAreNoted(t *testing.T) {
	const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, default: 3, nullable: true}, note: {type: string}}}
`
	const (
		remedy     = "; change the list by server-side apply or by a JSON patch"
		service    = "apiVersion: v1\nkind: Service\nmetadata: {name: dns, namespace: shop}\nspec:\n  selector: {app: dns}\n  ports:\n"
		tcp        = "  - {name: tcp, port: 53, protocol: TCP}\n"
		udp        = "  - {name: udp, port: 53, protocol: UDP}\n"
		deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {app: web}}\n" +
			"  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: web\n        image: web:1\n"
		container = ".spec.template.spec.containers[0]"
		widget    = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\n"
	)
	for _, c := range []struct {
		why         string
		first, then string
		notes       []string
	}{
		{why: "a second protocol on a port is not added", first: service + tcp, then: service + tcp + udp,
			notes: []string{"m.yaml:8:5: .spec.ports[1] of the manifest is not in the result: kubectl's patch confuses items with the same port" + remedy}},
		{why: "a variable whose duplicate is removed is removed, too (kubernetes#58477)",
			first: deployment + "        env: [{name: X, value: a}, {name: L, value: b}, {name: X, value: a}]\n",
			then:  deployment + "        env: [{name: X, value: a}, {name: L, value: b}]\n",
			notes: []string{"m.yaml:12:15: " + container + ".env[0] of the manifest is not in the result: kubectl's patch confuses items with the same name" + remedy}},
		{why: "a port whose number another had is removed, too, and the list with it (kubernetes#62366)",
			first: deployment + "        ports: [{containerPort: 4443, hostPort: 443}, {containerPort: 4443, hostPort: 4443}]\n",
			then:  deployment + "        ports: [{containerPort: 4443, hostPort: 443}]\n",
			notes: []string{"m.yaml:12:17: " + container + ".ports[0] of the manifest is not in the result: kubectl's patch confuses items with the same containerPort" + remedy}},
		{why: "other spellings, empty values and nulls are not lost",
			first: deployment,
			then: deployment + "        resources: {limits: {cpu: 1000m}, requests: {}}\n        args: []\n        workingDir: ''\n" +
				"        env: [{name: A, value: ''}]\n        livenessProbe: null\n      hostNetwork: false\n"},
		{why: "items are compared by their keys", first: service + "  - {name: a, port: 1}\n  - {name: b, port: 2}\n", then: service + "  - {name: b, port: 2}\n  - {name: a, port: 1}\n"},
		{why: "kubectl removes the null of a custom resource, which has a default (kubernetes#129456)", then: widget + "spec: {size: null}\n",
			notes: []string{"m.yaml:4:14: kubectl removes .spec.size, which is null in the manifest; 'kubectl apply --server-side' does not"}},
		{why: "a null removes a field that has no default", first: widget + "spec: {note: a}\n", then: widget + "spec: {note: null}\n"},
		{why: "a Secret's texts are converted", first: "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\n",
			then: "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {a: b}\n"},
	} {
		lab, err := patchlab.New(patchlab.Options{CRDs: fstest.MapFS{"crd.yaml": {Data: []byte(crd)}}})
		if err != nil {
			t.Fatal(err)
		}
		var live patchlab.Input
		if c.first != "" {
			first, err := lab.ClientApply(nil, patchlab.Named("m.yaml", []byte(c.first)), patchlab.ApplyOptions{})
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
				continue
			}
			live = first.Object()
		}
		r, err := lab.ClientApply(live, patchlab.Named("m.yaml", []byte(c.then)), patchlab.ApplyOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var notes []string
		for _, note := range r.Notes {
			if text := note.String(); strings.HasPrefix(text, "m.yaml:") {
				notes = append(notes, text)
			}
		}
		if !slices.Equal(notes, c.notes) {
			t.Errorf("%s: notes %q, want %q", c.why, notes, c.notes)
		}
	}
}
