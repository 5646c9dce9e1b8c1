package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// sound are requests that succeed in this order. The malformed requests are derived from them.
var sound = []cluster.Request{
	{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"a":"b"}},"data":{"k":"v"}}`)},
	{Verb: cluster.Create, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "n", Body: []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)},
	{Verb: cluster.Create, Group: "lab.example.com", Version: "v1", Resource: "widgets", Namespace: "n", Body: []byte(`{"apiVersion":"lab.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"replicas":2,"tags":["a"],"parts":[{"name":"p"}]}}`)},
	{Verb: cluster.Update, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "c", Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"k":"w"}}`)},
	{Verb: cluster.Patch, Format: cluster.JSONPatch, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "c", Body: []byte(`[{"op":"test","path":"/data/k","value":"w"},{"op":"add","path":"/data/j","value":"1"}]`)},
	{Verb: cluster.Patch, Format: cluster.MergePatch, Group: "lab.example.com", Version: "v1", Resource: "widgets", Namespace: "n", Name: "w", Body: []byte(`{"spec":{"replicas":3,"labels":{"x":"y"}}}`)},
	{Verb: cluster.Patch, Format: cluster.StrategicPatch, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "n", Name: "d", Body: []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}`)},
	{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "lab.example.com", Version: "v1", Resource: "widgets", Namespace: "n", Name: "w", Body: []byte("apiVersion: lab.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {note: x}\n"), Options: cluster.Options{FieldManager: "m"}},
	{Verb: cluster.Patch, Format: cluster.MergePatch, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "n", Name: "d", Subresource: "scale", Body: []byte(`{"spec":{"replicas":4}}`)},
	{Verb: cluster.Update, Group: "lab.example.com", Version: "v1", Resource: "widgets", Namespace: "n", Name: "w", Subresource: "status", Body: []byte(`{"apiVersion":"lab.example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"RV"},"status":{"phase":"A"}}`)},
	{Verb: cluster.List, Version: "v1", Resource: "configmaps", Namespace: "n"},
	{Verb: cluster.Get, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "c"},
	{Verb: cluster.Delete, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "c", Body: []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`)},
}

// breakRequest makes a request invalid in one way, and returns a description.
func breakRequest(r *rand.Rand, q *cluster.Request) (how string) {
	writes := q.Verb == cluster.Create || q.Verb == cluster.Update || q.Verb == cluster.Patch
	switch n := r.IntN(12); {
	case n == 0:
		q.Resource = "nothings"
		return "an unknown resource"
	case n == 1:
		q.Version = "v9"
		return "an unknown version"
	case n == 2 && writes:
		q.FieldManager = strings.Repeat("m", 129)
		return "a long manager"
	case n == 3 && writes:
		q.FieldManager = "a\x00b"
		return "a manager that cannot be printed"
	case n == 4 && (writes || q.Verb == cluster.Delete && len(q.Body) == 0):
		q.DryRun = []string{"Some"}
		return "an unknown dryRun"
	case n == 5 && writes:
		q.FieldValidation = "Sometimes"
		return "an unknown fieldValidation"
	case n == 6 && len(q.Body) > 0:
		q.Body = q.Body[:r.IntN(len(q.Body)-1)+1]
		if q.Format == cluster.ApplyPatch {
			q.Body = append(q.Body, "\n\x01: ["...)
		}
		return "a body that is cut"
	case n == 7 && len(q.Body) > 0:
		q.Body = []byte([]string{"", "7", `"text"`, "[1]", "{", "\xff", "[[[[", "{\"a\":\"b\"} x"}[r.IntN(8)])
		if len(q.Body) == 0 && q.Verb == cluster.Delete {
			q.Body = []byte("{")
		}
		return "a body that is no object"
	case n == 8 && (q.Verb == cluster.Create || q.Verb == cluster.Update):
		q.Body = []byte(strings.Replace(string(q.Body), `"kind":"`, `"kind":"Not`, 1))
		return "another kind"
	case n == 9 && q.Verb == cluster.Create:
		q.Body = []byte(strings.Replace(string(q.Body), `"name":"`, `"name":"No_`, 1))
		return "a wrong name"
	case n == 10 && writes:
		q.Format = cluster.UnknownFormat
		return "an unknown content type"
	case n == 11 && (q.Verb == cluster.List || q.Verb == cluster.Get):
		q.ResourceVersion = "99999999"
		return "a version that is not there yet"
	case q.Verb == cluster.List:
		q.LabelSelector, q.Continue = "a=(b", "?"
		return "a selector that cannot be read"
	}
	q.Group += ".example.com"
	return "an unknown group"
}

// TestMalformedRequestsChangeNothing makes valid requests invalid in hundreds of ways: each is
// refused with a 4xx Status, and nothing is written.
func TestMalformedRequestsChangeNothing(t *testing.T) {
	shared := cluster.NewStore()
	c := newRecorded(t, cluster.Config{Store: shared})
	r := rand.New(rand.NewPCG(1, 1))
	ctx := context.Background()
	total := 0
	for _, good := range sound {
		for i := range 60 {
			q := good
			q.Body = append([]byte(nil), good.Body...)
			how := breakRequest(r, &q)
			before, err := shared.Revision(ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Do(ctx, &q)
			after, _ := shared.Revision(ctx)
			what := fmt.Sprintf("%s %s with %s (%d): %.80q", q.Verb, q.Resource, how, i, q.Body)
			var st *cluster.Status
			switch {
			case err == nil:
				t.Errorf("%s succeeds", what)
			case !errors.As(err, &st):
				t.Errorf("%s: the error is not a *Status: %v", what, err)
			case st.Code < 400 || st.Code >= 600 || st.Code >= 500 && !servers(st):
				t.Errorf("%s: %d %s", what, st.Code, st.Message)
			case st.Message == "":
				t.Errorf("%s: no message", what)
			}
			if after != before {
				t.Errorf("%s: the store went from %d to %d", what, before, after)
			}
			total++
		}
		if good.Subresource == "status" {
			live, err := c.Do(ctx, &cluster.Request{Verb: cluster.Get, Group: good.Group, Version: good.Version, Resource: good.Resource, Namespace: good.Namespace, Name: good.Name})
			if err != nil {
				t.Fatal(err)
			}
			good.Body = []byte(strings.Replace(string(good.Body), "RV", live.Object.Lookup("metadata", "resourceVersion").StringOr(""), 1))
		}
		if _, err := c.Do(ctx, &good); err != nil {
			t.Fatalf("%s %s: %v", good.Verb, good.Resource, err)
		}
	}
	t.Logf("%d malformed requests", total)
}

// servers reports whether kube-apiserver, too, answers a malformed request with a 5xx Status:
// a resourceVersion in the future, a strategic merge patch with an object in place of a list,
// and a patch that removes the apiVersion of a custom resource.
func servers(st *cluster.Status) bool {
	return st.Code == 504 || st.Code == 500 && (st.Reason == "" || strings.HasSuffix(st.Message, "has no apiVersion field'"))
}

// FuzzRequest sends arbitrary requests to a cluster: it never panics, and a refused request
// changes nothing.
func FuzzRequest(f *testing.F) {
	for i, q := range sound {
		f.Add(uint8(q.Verb), uint8(q.Format), uint8(i), q.Name, q.Subresource, q.Body, "m", "", false)
	}
	f.Add(uint8(cluster.Patch), uint8(cluster.ApplyPatch), uint8(2), "w", "", []byte("metadata: {managedFields: [{}]}"), "m", "Strict", true)
	resources := sound
	f.Fuzz(func(t *testing.T, verb, format, which uint8, name, sub string, body []byte, manager, validation string, dry bool) {
		shared := cluster.NewStore()
		c := newRecorded(t, cluster.Config{Store: shared})
		ctx := context.Background()
		for i := range 3 {
			if _, err := c.Do(ctx, &sound[i]); err != nil {
				t.Fatal(err)
			}
		}
		base := resources[int(which)%len(resources)]
		q := &cluster.Request{Verb: cluster.Verb(verb % 8), Format: cluster.Format(format % 7), Group: base.Group, Version: base.Version,
			Resource: base.Resource, Namespace: "n", Name: name, Subresource: sub, Body: body}
		q.FieldManager, q.FieldValidation = manager, validation
		if dry {
			q.DryRun = []string{"All"}
		}
		before, _ := shared.Revision(ctx)
		resp, err := c.Do(ctx, q)
		after, _ := shared.Revision(ctx)
		if (err != nil || dry) && before != after {
			t.Errorf("the store went from %d to %d: %v", before, after, err)
		}
		var st *cluster.Status
		if err != nil && (!errors.As(err, &st) || st.Code < 400) {
			t.Errorf("no Status: %v", err)
		}
		if err == nil && resp.Events != nil {
			resp.Events.Stop()
		}
	})
}
