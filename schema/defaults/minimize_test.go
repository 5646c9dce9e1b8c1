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
func TestMinimizeAndFill(t *testing.T) {
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	catalog := builtin(t)
	seen := map[string]bool{}
	before, after := 0, 0
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
			stored = stored.Remove("metadata", "ownerReferences")
			least, err := r.Minimize(k, withTime(t, stored))
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			filled, err := r.Fill(k, least, Options{})
			got, want := WithoutOwned(k, filled), WithoutOwned(k, withTime(t, stored))
			if err != nil || !document.Identical(got, want) {
				t.Errorf("%s: %s\nleast %s\n got %s, %v", c.Name, want, least, got, err)
			}
			before += len(want.String())
			after += len(least.String())
		}
	}
	if len(seen) < 3000 || after > before*9/10 {
		t.Errorf("%d objects went from %d to %d bytes", len(seen), before, after)
	}
}

// withTime replaces the placeholders of times in the recordings.
func withTime(t *testing.T, v document.Value) document.Value {
	return parse(t, strings.ReplaceAll(v.String(), "$TIME$", "2026-04-01T12:00:00Z"))
}

func TestMinimizeCustomResource(t *testing.T) {
	crd, err := schema.FromCRD(parse(t, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ws.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
	"names":{"kind":"W","plural":"ws"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"spec":{"type":"object","default":{},"properties":{"size":{"type":"integer","default":1},"color":{"type":"string"}}},"status":{"type":"object"}}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	k := crd.Kinds[0]
	for stored, want := range map[string]string{
		`{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w","uid":"u"},"spec":{"size":1},"status":{}}`: `{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"}}`,
		`{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"},"spec":{"color":"red","size":1}}`:         `{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"},"spec":{"color":"red"}}`,
		`{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"},"spec":{"size":2}}`:                       `{"apiVersion":"x.io/v1","kind":"W","metadata":{"name":"w"},"spec":{"size":2}}`,
	} {
		got, err := r.Minimize(k, parse(t, stored))
		if err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", stored, got, err, want)
		}
	}
}
