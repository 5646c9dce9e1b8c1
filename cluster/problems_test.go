package cluster_test

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Unknown fields and duplicate keys are reported as kube-apiserver 1.36.3 reported them for
// the same bodies.
func TestProblemsAreInSourceOrder(t *testing.T) {
	cases := []struct {
		why, body, want string
		format          cluster.Format
	}{
		{"unknown fields, in source order", `{"zeta":1,"metadata":{"name":"a","nosuch":2},"alpha":1}`,
			`unknown field "zeta", unknown field "metadata.nosuch", unknown field "alpha"`, cluster.JSON},
		{"unknown fields and duplicate keys", `{"zeta":1,"metadata":{"name":"a","nosuch":2},"data":{"b":"1","b":"2"},"alpha":1}`,
			`unknown field "zeta", unknown field "metadata.nosuch", duplicate field "data.b", unknown field "alpha"`, cluster.JSON},
		{"each problem is reported once", `{"metadata":{"name":"a"},"data":{"b":"1","b":"2","b":"3"},"zeta":1,"zeta":2}`,
			`duplicate field "data.b", unknown field "zeta"`, cluster.JSON},
		{"nothing inside an unknown field is reported", `{"metadata":{"name":"a"},"zeta":{"a":1,"a":2}}`, `unknown field "zeta"`, cluster.JSON},
		{"for YAML, unknown fields come last, sorted by name", "zeta: 1\nmetadata: {name: a, nosuch: 1}\ndata: {b: \"1\", b: \"2\"}\nalpha: 1\n",
			"yaml: unmarshal errors:\n  line 3: key \"b\" already set in map" + `, unknown field "alpha", unknown field "metadata.nosuch", unknown field "zeta"`, cluster.YAML},
	}
	for _, c := range cases {
		q := newRequests(t, cluster.Config{})
		st := q.refused(400, cluster.Create, "/api/v1/namespaces/n/configmaps", c.body, options(cluster.Options{FieldValidation: "Strict"}), format(c.format))
		if st == nil {
			continue
		}
		_, got, _ := strings.Cut(st.Message, "strict decoding error: ")
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.why, got, c.want)
		}
	}
}

// All duplicate keys of a YAML body, also of an apply configuration, are reported in a single
// error, but each in a warning of its own.
func TestDuplicateKeysInYAML(t *testing.T) {
	const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n  name: z\ndata:\n  a: b\n  a: c\n"
	const lines = "yaml: unmarshal errors:\n  line 5: key \"name\" already set in map\n  line 8: key \"a\" already set in map"
	q := newRequests(t, cluster.Config{})
	strict := cluster.Options{FieldValidation: "Strict", FieldManager: "m"}
	for _, c := range []struct {
		verb   cluster.Verb
		path   string
		format cluster.Format
		want   string
	}{
		{cluster.Create, "/api/v1/namespaces/n/configmaps", cluster.YAML,
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ` + lines},
		{cluster.Patch, "/api/v1/namespaces/n/configmaps/z", cluster.ApplyPatch,
			"error strict decoding YAML: error converting YAML to JSON: " + lines},
	} {
		if st := q.refused(400, c.verb, c.path, body, options(strict), format(c.format)); st != nil && st.Message != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.format, st.Message, c.want)
		}
		response, st := q.do(c.verb, c.path, body, options(cluster.Options{FieldValidation: "Warn", FieldManager: "m", DryRun: []string{"All"}}), format(c.format))
		if st != nil || len(response.Warnings) != 2 || response.Warnings[0] != `line 5: key "name" already set in map` {
			t.Errorf("%v: %v, %v", c.format, response, st)
		}
	}
}

// At most a hundred problems are reported.
func TestAtMostAHundredProblemsAreReported(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	response, st := q.do(cluster.Create, "/api/v1/namespaces/n/configmaps", `{"metadata":{"name":"a"},`+many(120, `"u%[1]d":1`)+`}`)
	if st != nil || len(response.Warnings) != 100 {
		t.Errorf("%d warnings, %v", len(response.Warnings), st)
	}
}
