package defaults

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func TestDecode(t *testing.T) {
	cases := []struct{ name, sent, want, reason string }{
		{"null-field", `{"kind":"ConfigMap","data":null}`, `{"kind":"ConfigMap"}`, "a null field is missing"},
		{"null-member", `{"kind":"ConfigMap","data":{"a":null}}`, `{"data":{"a":""},"kind":"ConfigMap"}`, "a null map value is the zero value"},
		{"null-bytes", `{"kind":"Secret","data":{"a":null}}`, `{"data":{"a":""},"kind":"Secret"}`, "empty bytes are dropped in storage"},
		{"null-item", `{"kind":"Pod","spec":{"containers":[null]}}`, `{"kind":"Pod","spec":{"containers":[{"name":"","resources":{}}]},"status":{}}`, "a null list item is the zero value"},
		{"empty-map", `{"kind":"ConfigMap","data":{}}`, `{"kind":"ConfigMap"}`, "empty maps are omitted"},
		{"empty-struct", `{"kind":"Pod","spec":{"containers":[],"securityContext":{}}}`, `{"kind":"Pod","spec":{"containers":null,"securityContext":{}},"status":{}}`, "empty structs are written; an empty list without omitempty is null"},
		{"false-pointer", `{"kind":"Pod","spec":{"containers":null,"hostNetwork":false,"enableServiceLinks":false}}`, `{"kind":"Pod","spec":{"containers":null,"enableServiceLinks":false},"status":{}}`, "a pointer tells false from missing"},
		{"quantity", `{"kind":"LimitRange","spec":{"limits":[{"max":{"cpu":1,"memory":"1024Mi"},"type":"Pod"}]}}`, `{"kind":"LimitRange","spec":{"limits":[{"max":{"cpu":"1","memory":"1Gi"},"type":"Pod"}]}}`, "numbers are quantities too"},
		{"base64", `{"kind":"Secret","data":{"a":"YQ==\n"}}`, `{"data":{"a":"YQ=="},"kind":"Secret"}`, "line breaks in base64 are removed"},
		{"string-data", `{"kind":"Secret","data":{"a":"YQ==","b":"Yg=="},"stringData":{"a":"x"}}`, `{"data":{"a":"eA==","b":"Yg=="},"kind":"Secret"}`, "stringData overrides data"},
		{"old-account", `{"kind":"Pod","spec":{"containers":null,"serviceAccount":"a"}}`, `{"kind":"Pod","spec":{"containers":null,"serviceAccount":"a","serviceAccountName":"a"},"status":{}}`, "a field with two names"},
		{"both-accounts", `{"kind":"Pod","spec":{"containers":null,"serviceAccount":"a","serviceAccountName":"b"}}`, `{"kind":"Pod","spec":{"containers":null,"serviceAccount":"b","serviceAccountName":"b"},"status":{}}`, "the new name wins"},
		{"node-cidr", `{"kind":"Node","spec":{"podCIDRs":["10.0.0.0/24"]},"status":null}`, `{"kind":"Node","spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}`, "zero values that are always written"},
		{"negative-grace", `{"kind":"Pod","spec":{"containers":null,"terminationGracePeriodSeconds":-5}}`, `{"kind":"Pod","spec":{"containers":null,"terminationGracePeriodSeconds":1},"status":{}}`, "a field of Pods only"},
		{"init-annotation", `{"kind":"Pod","metadata":{"annotations":{"pod.beta.kubernetes.io/init-containers":"[]"}},"spec":{"containers":null}}`, `{"kind":"Pod","metadata":{},"spec":{"containers":null},"status":{}}`, "an annotation of older versions"},
		{"time", `{"kind":"ConfigMap","metadata":{"creationTimestamp":"2024-01-01T02:00:00.5+02:00","deletionTimestamp":null}}`, `{"kind":"ConfigMap","metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"}}`, "times are in UTC and whole seconds"},
		{"case", `{"kind":"ConfigMap","Data":{"a":"b"}}`, `{"kind":"ConfigMap"}`, "keys are case-sensitive"},
		{"opaque", `{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","spec":{"config":[{"opaque":{"driver":"a","parameters":[]}}]}}`,
			`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","spec":{"config":[{"opaque":{"driver":"a","parameters":[]}}]}}`, "a value without a type is stored as text, with an empty list"},
	}
	catalog := builtin(t)
	for _, c := range cases {
		complete := func(text string) document.Value {
			v := parse(t, text)
			if !v.Get("apiVersion").Exists() {
				v = v.With("apiVersion", document.NewString("v1"))
			}
			if !v.Get("metadata").Exists() {
				v = v.With("metadata", document.NewObject())
			}
			return v
		}
		sent, want := complete(c.sent), complete(c.want)
		k, ok := kindOf(catalog, sent)
		if !ok {
			t.Fatalf("%s: no kind", c.name)
		}
		got, _, err := Decode(k, sent, FromJSON)
		if err != nil || !document.Identical(got, want) {
			t.Errorf("%s: got %s, %v; want %s: %s", c.name, got, err, want, c.reason)
		}
	}
}

// TestDecodeFloats has the numbers that kube-apiserver v1.36.3 has in a JSON schema: it decodes them into float64.
func TestDecodeFloats(t *testing.T) {
	for sent, want := range map[string]string{
		"9007199254740992": "9007199254740992", "9007199254740993": "9007199254740992", "-9007199254740993": "-9007199254740992", "12345678901234567": "12345678901234568",
		"1152921504606846977": "1152921504606847000", "9223372036854775807": "9223372036854776000", "1.50": "1.5", "1e2": "100",
	} {
		crd := parse(t, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},"spec":{"group":"a","names":{"kind":"A","plural":"as"},"scope":"Cluster","versions":[
			{"name":"v1","schema":{"openAPIV3Schema":{"maximum":`+sent+`}},"served":true,"storage":true}]}}`)
		k, _ := kindOf(builtin(t), crd)
		for _, from := range []Source{FromJSON, FromTree} {
			decoded, _, err := Decode(k, crd, from)
			if got := decoded.Lookup("spec", "versions").At(0).Lookup("schema", "openAPIV3Schema", "maximum"); err != nil || got.String() != want {
				t.Errorf("%s from %d: %s, %v, want %s", sent, from, got, err, want)
			}
		}
	}
}

// TestDecodeBytes has the answer of kube-apiserver v1.36.3 to a strategic merge patch of a Secret.
func TestDecodeBytes(t *testing.T) {
	sent := parse(t, `{"apiVersion":"v1","kind":"Secret","data":{"a":[300,null,65.0]}}`)
	k, _ := kindOf(builtin(t), sent)
	if got, _, err := Decode(k, sent, FromTree); err != nil || got.Get("data").Get("a").StringOr("") != "LABB" {
		t.Errorf("got %s, %v: numbers in a tree are truncated to bytes", got, err)
	}
	if _, _, err := Decode(k, sent, FromJSON); err == nil {
		t.Error("a number above 255 is no byte in JSON text")
	}
}

func TestDecodeErrors(t *testing.T) {
	cases := []struct{ sent, text, tree, reason string }{
		{`{"spec":{"replicas":2.0}}`, ".spec.replicas: expected a whole number, found the number 2.0", "", "a float is refused in JSON text and accepted in a tree"},
		{`{"spec":{"replicas":4294967297}}`, ".spec.replicas: expected a whole number of 32 bits, found the number 4294967297", "", "a fraction in a tree is truncated"},
		{`{"spec":{"replicas":"1"}}`, `.spec.replicas: expected a whole number, found the string "1"`, `.spec.replicas: expected a whole number, found the string "1"`, "a number in a string field"},
		{`{"spec":{"paused":"true"}}`, `.spec.paused: expected true or false, found the string "true"`, `.spec.paused: expected true or false, found the string "true"`, "a boolean in a string field"},
		{`{"metadata":{"labels":{"a":1}}}`, ".metadata.labels.a: expected a string, found the number 1", ".metadata.labels.a: expected a string, found the number 1", "a map of strings"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}`, ".spec.strategy.rollingUpdate.maxSurge: expected a string or a whole number of 32 bits, found true", ".spec.strategy.rollingUpdate.maxSurge: expected a string or a whole number of 32 bits, found true", "int or string"},
		{`{"spec":{"template":{"spec":{"containers":{}}}}}`, ".spec.template.spec.containers: expected a list, found an object", ".spec.template.spec.containers: expected a list, found an object", "lists"},
		{`{"spec":[]}`, ".spec: expected an object, found a list", ".spec: expected an object, found a list", "structs"},
		{`{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}}}}`, `.spec.template.spec.containers[0].resources.limits.cpu: expected a quantity such as 2, 100m or 1.5Gi, found the string "1x"`, `.spec.template.spec.containers[0].resources.limits.cpu: expected a quantity such as 2, 100m or 1.5Gi, found the string "1x"`, "quantities"},
		{`{"metadata":{"creationTimestamp":"today"}}`, `.metadata.creationTimestamp: expected a time such as 2006-01-02T15:04:05Z, found the string "today"`, `.metadata.creationTimestamp: expected a time such as 2006-01-02T15:04:05Z, found the string "today"`, "times"},
		{`{"metadata":{"annotations":{"deprecated.deployment.rollback.to":"x"}}}`, `.metadata.annotations["deprecated.deployment.rollback.to"]: expected a whole number, found "x"`, `.metadata.annotations["deprecated.deployment.rollback.to"]: expected a whole number, found "x"`, "a field of older versions"},
	}
	k, _ := deployment(t)
	for _, c := range cases {
		for from, want := range map[Source]string{FromJSON: c.text, FromTree: c.tree} {
			_, _, err := Decode(k, parse(t, c.sent), from)
			var e *DecodeError
			switch {
			case want == "" && err == nil:
			case err == nil || err.Error() != want:
				t.Errorf("%s from %d: %v, want %q: %s", c.sent, from, err, want, c.reason)
			case !errors.Is(err, ErrType) || !errors.As(err, &e) || len(e.Path) == 0:
				t.Errorf("%s: %#v is not a DecodeError with ErrType", c.sent, err)
			}
		}
	}
}

func TestUnknownFields(t *testing.T) {
	k, _ := deployment(t)
	v := parse(t, `{"zz":1,"spec":{"template":{"spec":{"volumes":[{"zz":1}],"containers":[{"name":"a"},{"name":"b","Image":"x","resources":{"zz":{}}}]}}}}`)
	for from, want := range map[Source]string{
		FromJSON: `unknown field "spec.template.spec.containers[1].Image", unknown field "spec.template.spec.containers[1].resources.zz", unknown field "spec.template.spec.volumes[0].zz", unknown field "zz"`,
		FromTree: `unknown field "spec.template.spec.containers[1].Image", unknown field "spec.template.spec.containers[1].resources.zz", unknown field "spec.template.spec.volumes[0].zz", unknown field "zz"`,
	} {
		out, problems, err := Decode(k, v, from)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.Message)
			if !v.Follow(p.Path).Exists() || out.Follow(p.Path).Exists() {
				t.Errorf("%s: the path %s", p.Message, p.Path)
			}
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("from %d: got %s, want %s", from, got, want)
		}
	}
	_, problems, err := Decode(k, parse(t, `{"a\nb\"é":1}`), FromJSON)
	if want := `unknown field "a\nb\"é"`; err != nil || len(problems) != 1 || problems[0].Message != want {
		t.Errorf("a line break and a quotation mark in a name: %v, %v, want %s", problems, err, want)
	}
	// The decoder of unstructured objects omits the keys of maps.
	slice := parse(t, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","spec":{"devices":[{"name":"d","attributes":{"a":{"zz":1}}}]}}`)
	kind, _ := kindOf(builtin(t), slice)
	for from, want := range map[Source]string{
		FromJSON: `unknown field "spec.devices[0].attributes.a.zz"`,
		FromTree: `unknown field "spec.devices[0].attributes.zz"`,
	} {
		if _, problems, _ := Decode(kind, slice, from); len(problems) != 1 || problems[0].Message != want {
			t.Errorf("from %d: got %v, want %s", from, problems, want)
		}
	}
}

// FuzzDecode: decoding never panics and is idempotent, and filling the minimized manifest
// yields the same object.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(manifest))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[null,{"ports":[{}]}],"volumes":[{}]},"status":[]}`))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Secret","stringData":{"a":null},"data":{"b":"!"}}`))
	f.Add([]byte(`{"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"type":"Container","max":{"cpu":"1e999999999"}}]}}`))
	catalog := builtin(f)
	rules, err := For("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := document.Parse(data, document.Options{Duplicates: document.DuplicatesMerged})
		if err != nil {
			return
		}
		k, ok := kindOf(catalog, d.Root)
		if !ok {
			return
		}
		for _, from := range []Source{FromJSON, FromTree} {
			v, _, err := Decode(k, d.Root, from)
			if err != nil {
				continue
			}
			v = rules.Apply(k, v, Options{Now: noon})
			again, problems, err := Decode(k, v, from)
			if err != nil || len(problems) > 0 || !document.SameNode(rules.Apply(k, again, Options{Now: noon}), v) {
				t.Errorf("%s becomes %s becomes %s, %v, %v", d.Root, v, again, problems, err)
			}
			least, err := rules.Minimize(k, v)
			if err != nil {
				t.Fatalf("%s cannot be reduced: %v", v, err)
			}
			want, _ := rules.created(k, withoutGenerated(k, v))
			if got, err := rules.created(k, least); err != nil || !document.Identical(got, want) {
				t.Errorf("%s is reduced to %s, filled in to %s, want %s, %v", v, least, got, want, err)
			}
			rules.PrepareForUpdate(k, v, rules.PrepareForCreate(k, v, Request{Now: noon}), Request{Now: noon})
		}
	})
}
