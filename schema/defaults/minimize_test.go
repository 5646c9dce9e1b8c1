package defaults

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestMinimize(t *testing.T) {
	cases := []struct{ name, stored, want string }{
		{"only what was meant", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"u","resourceVersion":"1","creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}},"data":{"a":"b"}}`,
			`{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"name":"c"}}`},
		{"a value that is not the default stays", `{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":3,"selector":null,"template":{"metadata":{},"spec":{"containers":null,"dnsPolicy":"Default","restartPolicy":"Always"}}},"status":{"replicas":3}}`,
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":3,"template":{"spec":{"dnsPolicy":"Default"}}}}`},
		{"an object that brings defaults stays, empty", `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"kind":"Deployment","name":"d"},"behavior":{"scaleDown":{"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}}}}`,
			`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"behavior":{},"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d"}}}`},
		{"what one field decides of another", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","image":"i","imagePullPolicy":"IfNotPresent"},{"name":"b","image":"i","imagePullPolicy":"Always"}]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"image":"i","imagePullPolicy":"IfNotPresent","name":"a"},{"image":"i","name":"b"}]}}`},
		{"an address is kept", `{"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","type":"ClusterIP","sessionAffinity":"None","ports":[{"port":80,"protocol":"TCP","targetPort":80}]}}`,
			`{"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"10.0.0.1","ports":[{"port":80}]}}`},
		{"a job's own labels", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","labels":{"a":"b","controller-uid":"u","job-name":"j"}},"spec":{"manualSelector":false,"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}},"template":{"metadata":{"labels":{"a":"b","controller-uid":"u","job-name":"j"}},"spec":{"containers":null,"restartPolicy":"Never"}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}}`},
		{"labels equal to those of the template are not generated ones", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","labels":{"a":"b"}},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"a":"b"},"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}}`},
		{"so in a stored job, whose template has the generated ones", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","uid":"u","labels":{"a":"b"}},"spec":{"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}},"template":{"metadata":{"labels":{"a":"b","batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"j","controller-uid":"u","job-name":"j"}},"spec":{"restartPolicy":"Never"}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"a":"b"},"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}}`},
		{"a label was added to generated ones", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","uid":"u","labels":{"c":"d","a":"b","job-name":"j"}},"spec":{"suspend":false,"template":{"metadata":{"labels":{"a":"b","job-name":"j"}},"spec":{"restartPolicy":"Never"}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"a":"b","c":"d"},"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}}`},
		{"defaults that follow from a type that is not the default", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":true,"externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None"},"status":{"loadBalancer":{}}}`,
			`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80}],"type":"LoadBalancer"}}`},
		{"node ports bring a policy too", `{"apiVersion":"v1","kind":"Service","spec":{"type":"NodePort","externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"nodePort":30001,"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None"}}`,
			`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"nodePort":30001,"port":80}],"type":"NodePort"}}`},
		{"a type without fields that the default type has", `{"apiVersion":"v1","kind":"Service","spec":{"type":"ExternalName","externalName":"x.io","sessionAffinity":"None"}}`,
			`{"apiVersion":"v1","kind":"Service","spec":{"externalName":"x.io","type":"ExternalName"}}`},
		{"the label with the name of a namespace", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},"spec":{"finalizers":["kubernetes"]}}`,
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}`},
	}
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		v := parse(t, c.stored)
		k, _ := kindOf(builtin(t), v)
		got, err := r.Minimize(k, v)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// TestMinimizeAndFill: filling the minimized manifest of every recorded object restores it.
// If the manifest has the uid of the object, this includes the fields that are generated
// from it.
func TestMinimizeAndFill(t *testing.T) {
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	before, after := 0, 0
	for _, o := range defaultedObjects(t) {
		least, err := r.Minimize(o.kind, o.value)
		if err != nil {
			t.Errorf("%s: %v", o.name, err)
			continue
		}
		filled, err := r.Fill(o.kind, least, Options{})
		got, want := WithoutOwned(o.kind, filled), WithoutOwned(o.kind, o.value)
		if err != nil || !document.Identical(got, want) {
			t.Errorf("%s: %s\nleast %s\n got %s, %v", o.name, want, least, got, err)
		}
		whole, _ := r.created(o.kind, WithoutOwned(o.kind, o.value))
		if again, err := r.created(o.kind, least); err != nil || !document.Identical(again, whole) {
			t.Errorf("%s: with uid %s\nleast %s\n got %s, %v", o.name, whole, least, again, err)
		}
		before += len(want.String())
		after += len(least.String())
	}
	if after > before*9/10 {
		t.Errorf("the objects went from %d to %d bytes", before, after)
	}
}

// TestMinimizedIsMinimal: no member of a minimized object can be removed without changing what
// is filled in.
func TestMinimizedIsMinimal(t *testing.T) {
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range defaultedObjects(t) {
		least, err := r.Minimize(o.kind, o.value)
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := r.created(o.kind, least)
		for _, path := range leaves(least, nil) {
			less, err := least.SetAt(path, document.Value{})
			if err != nil {
				t.Fatal(err)
			}
			if again, err := r.created(o.kind, less); err == nil && document.Identical(again, whole) {
				t.Errorf("%s: %s could be removed from %s", o.name, path, least)
			}
		}
	}
}

// leaves returns the paths of the members that have no members or items.
func leaves(v document.Value, at document.Path) (all []document.Path) {
	for i, w := range v.Items() {
		all = append(all, leaves(w, at.Item(i))...)
	}
	for key, w := range v.Members() {
		if below := at.Child(key); w.Len() > 0 {
			all = append(all, leaves(w, below)...)
		} else {
			all = append(all, below)
		}
	}
	return all
}

// A defaultedObject is a recorded object of a built-in kind, without its owners.
type defaultedObject struct {
	name  string // of the recording or the case
	kind  *schema.Kind
	value document.Value
}

func defaultedObjects(t *testing.T) (all []defaultedObject) {
	t.Helper()
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	catalog := builtin(t)
	seen := map[string]bool{}
	for _, c := range recordings(t) {
		for _, s := range c.Steps {
			if s.Response.Code > 201 {
				continue
			}
			stored := answer(t, s.Response)
			k, ok := kindOf(catalog, stored)
			if !ok || seen[stored.String()] || stored.Lookup("metadata", "uid").StringOr("") == "" {
				continue
			}
			seen[stored.String()] = true
			all = append(all, defaultedObject{c.Name, k, withTime(t, stored.Remove("metadata", "ownerReferences"))})
		}
	}
	for _, c := range storedObjects(t) {
		v := parse(t, string(c.Want))
		if k, ok := kindOf(catalog, v); ok && (c.Version == "" || c.Version == schema.DefaultVersion) {
			if v, err = r.created(k, v); err != nil {
				t.Fatal(err)
			}
			all = append(all, defaultedObject{c.Name, k, v})
		}
	}
	if len(all) < 3000 {
		t.Fatalf("%d stored objects", len(all))
	}
	return all
}

// withTime replaces the placeholders of times in the recordings.
func withTime(t *testing.T, v document.Value) document.Value {
	return parse(t, strings.ReplaceAll(v.String(), "$TIME$", "2026-04-01T12:00:00Z"))
}

func TestMinimizeCustomResource(t *testing.T) {
	crd, err := schema.FromCRD(parse(t, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ws.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
	"names":{"kind":"W","plural":"ws"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"spec":{"type":"object","default":{},"properties":{"size":{"type":"integer","default":1},"color":{"type":"string"},
		"rules":{"type":"array","default":[{"matches":[{"path":"/"}]}],"items":{"type":"object","properties":{
			"matches":{"type":"array","default":[{"path":"/"}],"items":{"type":"object","properties":{"path":{"type":"string","default":"/"}}}},
			"backends":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"weight":{"type":"integer","default":1}}}}}}}
	}},"status":{"type":"object"}}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	k := crd.Kinds[0]
	const rules = `,"rules":[{"matches":[{"path":"/"}]}]`
	for _, c := range []struct{ reason, spec, status, want string }{
		{"only defaults", `"size":1` + rules, `,"status":{}`, ``},
		{"one field without a default", `"color":"red","size":1` + rules, ``, `,"spec":{"color":"red"}`},
		{"another value than the default", `"size":2` + rules, ``, `,"spec":{"size":2}`},
		{"a list that has a default, with a field that the default lacks", `"rules":[{"backends":[{"name":"a","weight":1}],"matches":[{"path":"/"}]}],"size":1`, ``,
			`,"spec":{"rules":[{"backends":[{"name":"a"}]}]}`},
		{"the same, with an item more than the default", `"rules":[{"matches":[{"path":"/"}]},{"backends":[{"name":"a","weight":1},{"weight":1}],"matches":[{"path":"/a"},{"path":"/"}]}],"size":1`, ``,
			`,"spec":{"rules":[{},{"backends":[{"name":"a"},{}],"matches":[{"path":"/a"},{}]}]}`},
	} {
		const object = `{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"}`
		got, err := r.Minimize(k, parse(t, object+`,"spec":{`+c.spec+`}`+c.status+`}`))
		if want := object + c.want + "}"; err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", c.reason, got, err, want)
		}
	}
}
