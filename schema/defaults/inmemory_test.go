package defaults

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestDecodeInMemory: a Role's rules are always written. An empty list stays empty until it
// is stored as protobuf, which cannot represent it.
func TestDecodeInMemory(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	role, _ := catalog.Resource("rbac.authorization.k8s.io", "v1", "roles")
	doc, err := document.Parse([]byte(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","rules":[]}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from Source
		want string
	}{{FromJSON, "null"}, {FromJSON | InMemory, "[]"}, {FromTree | InMemory, "[]"}} {
		out, _, err := Decode(role, doc.Root, c.from)
		if got := out.Get("rules").String(); err != nil || got != c.want {
			t.Errorf("from %d: rules are %s (%v), want %s", c.from, got, err, c.want)
		}
	}
}

// TestInMemoryKeepsSpelling: field management compares atomic values as Go holds them
// in memory, where another spelling of a quantity, a fraction of a second and an empty list
// differ from what was stored. Other fields are compared in canonical form.
func TestInMemoryKeepsSpelling(t *testing.T) {
	cases := []struct{ sent, want, reason string }{
		{`{"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"max":{"memory":"1024Mi"},"min":{},"type":"Pod"}]}}`,
			`{"limits":[{"max":{"memory":"1024Mi"},"min":{},"type":"Pod"}]}`, "an atomic list"},
		{`{"apiVersion":"v1","kind":"ResourceQuota","spec":{"hard":{"memory":"1024Mi"},"scopes":[]}}`,
			`{"hard":{"memory":"1Gi"}}`, "not inside a list"},
		{`{"apiVersion":"v1","kind":"Node","spec":{"taints":[{"key":"k","effect":"NoSchedule","timeAdded":"2020-01-01T01:00:00.5+01:00"}]}}`,
			`{"taints":[{"effect":"NoSchedule","key":"k","timeAdded":"2020-01-01T00:00:00.5Z"}]}`, "the fraction of a second counts, the time zone does not"},
	}
	for _, c := range cases {
		v := parse(t, c.sent)
		k, _ := kindOf(builtin(t), v)
		got, _, err := Decode(k, v, FromJSON|InMemory)
		if err != nil || got.Get("spec").String() != c.want {
			t.Errorf("%s: %s, %v; want %s: %s", c.sent, got.Get("spec"), err, c.want, c.reason)
		}
	}
}

// TestDecodeEncoded: webhooks and policies get the JSON of the object in memory. kube-apiserver's answers are in
// testdata/admission (hook-review).
func TestDecodeEncoded(t *testing.T) {
	for _, c := range []struct{ sent, want, reason string }{
		{`{"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"max":{"memory":"1024Mi"},"min":{},"type":"Pod"}]}}`,
			`{"limits":[{"max":{"memory":"1Gi"},"type":"Pod"}]}`, "an atomic list is like the rest of the object"},
		{`{"apiVersion":"v1","kind":"Node","spec":{"taints":[{"key":"k","effect":"NoSchedule","timeAdded":"2020-01-01T01:00:00.5+01:00"}]}}`,
			`{"taints":[{"effect":"NoSchedule","key":"k","timeAdded":"2020-01-01T00:00:00Z"}]}`, "a time has no fraction of a second"},
		{`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[],"volumes":[]}}`,
			`{"containers":[]}`, "a list that is always written is not null, another one is omitted"},
	} {
		v := parse(t, c.sent)
		k, _ := kindOf(builtin(t), v)
		got, _, err := Decode(k, v, FromTree|InMemory|Encoded)
		if err != nil || got.Get("spec").String() != c.want {
			t.Errorf("%s: %s, %v; want %s: %s", c.sent, got.Get("spec"), err, c.want, c.reason)
		}
	}
}
