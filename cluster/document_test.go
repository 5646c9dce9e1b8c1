package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// A request with a parsed document has the same response as one with bytes.
func TestDocumentAndBodyGiveSameResponse(t *testing.T) {
	const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"},"datum":1}`
	for _, c := range []struct {
		name       string
		verb       cluster.Verb
		format     cluster.Format
		validation string
	}{
		{"a create", cluster.Create, cluster.JSON, "Ignore"},
		{"a strict create", cluster.Create, cluster.JSON, "Strict"},
		{"an apply of an unknown field", cluster.Patch, cluster.ApplyPatch, "Strict"},
	} {
		answer := func(r cluster.Request) string {
			cl, err := cluster.New(cluster.Config{Now: (&clock{}).Now, UID: func() string { return "u" }})
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			r.Verb, r.Version, r.Resource, r.Namespace, r.Format = c.verb, "v1", "configmaps", "default", c.format
			r.FieldManager, r.FieldValidation = "m", c.validation
			if c.verb == cluster.Patch {
				r.Name = "a"
			}
			response, err := cl.Do(context.Background(), &r)
			if err != nil {
				return err.Error()
			}
			return response.Object.String()
		}
		d, err := document.Parse([]byte(body), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parsed, text := answer(cluster.Request{Document: d}), answer(cluster.Request{Body: []byte(body)})
		if parsed != text {
			t.Errorf("%s: with a document\n%s\nwith bytes\n%s", c.name, parsed, text)
		}
	}
}

// An apply configuration is decoded by the rules of YAML, in which 1.0 is the integer 1.
func TestAppliedDocumentHasYAMLNumbers(t *testing.T) {
	const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":2.0,
		"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
	d, err := document.Parse([]byte(body), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := cluster.Step(cluster.Config{}, document.Value{}, &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Document: d,
		Group: "apps", Version: "v1", Resource: "deployments", Namespace: "default", Name: "a", Options: cluster.Options{FieldManager: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := response.Object.Lookup("spec", "replicas").String(); got != "2" {
		t.Errorf("replicas %s, want 2", got)
	}
}

// The invalid fields are available as paths, without parsing messages.
func TestCausesHavePaths(t *testing.T) {
	for _, c := range []struct{ body, path, why string }{
		{`{"metadata":{"name":"a"},"spec":{"type":"X","ports":[{"port":80},{"port":0}]}}`, ".spec.ports[1].port", "an item of a list"},
		{`{"metadata":{"name":"a","labels":{"a.b/c":"-"}},"spec":{"ports":[{"port":80}]}}`, ".metadata.labels", "a map with dots in its keys"},
	} {
		_, err := cluster.Step(cluster.Config{}, document.Value{}, &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services",
			Namespace: "default", Body: []byte(c.body)})
		var st *cluster.Status
		if !errors.As(err, &st) || st.Details == nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		var paths []string
		for _, cause := range st.Details.Causes {
			paths = append(paths, cause.Path.String())
		}
		if !slices.Contains(paths, c.path) {
			t.Errorf("%s: paths %q, want %s", c.why, paths, c.path)
		}
	}
	_, err := cluster.Step(cluster.Config{}, document.Value{}, &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps",
		Namespace: "default", Body: []byte(`{"metadata":{"name":"a"},"dat":{}}`), Options: cluster.Options{FieldValidation: "Strict"}})
	var strict *cluster.StrictError
	if !errors.As(err, &strict) || len(strict.Problems) != 1 || strict.Problems[0].Path.String() != ".dat" {
		t.Errorf("unknown field: %v", err)
	}
}

// A request whose context has ended is not an internal error.
func TestCancelledRequest(t *testing.T) {
	cl, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = cl.Do(ctx, &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "default",
		Body: []byte(`{"metadata":{"name":"a"}}`)})
	var st *cluster.Status
	if !errors.As(err, &st) || st.Code == 500 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v (%+v), want a timeout that wraps context.Canceled", err, st)
	}
}
