package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

// recordedObjects returns objects of all kinds in the recordings, a few of each kind, in a
// fixed order.
func recordedObjects(t *testing.T, kinds *schema.Registry) []document.Value {
	t.Helper()
	cases, err := conformance.ReadAll(recordings)
	if err != nil {
		t.Fatal(err)
	}
	const each = 4
	count := map[string]int{}
	var objects []document.Value
	for _, c := range cases {
		for _, s := range c.Steps {
			body, ok := s.Response.Body.(map[string]any)
			if !ok || s.Response.Code >= 300 || s.Request.Method != "POST" && s.Request.Method != "PATCH" {
				continue
			}
			kind := fmt.Sprint(body["apiVersion"], "/", body["kind"])
			if count[kind] == each {
				continue
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.ReplaceAll(string(text), "$TIME$", "2026-01-02T03:04:05Z"))
			doc, err := document.Parse(text, document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if k, ok := kindOf(kinds, doc.Root); !ok || k.Resource == "" {
				continue
			}
			count[kind]++
			m := doc.Root.Get("metadata").Without("resourceVersion").Without("uid").Without("managedFields")
			objects = append(objects, doc.Root.With("metadata", m))
		}
	}
	slices.SortStableFunc(objects, func(a, b document.Value) int {
		return strings.Compare(a.Get("kind").StringOr(""), b.Get("kind").StringOr(""))
	})
	return objects
}

func kindOf(kinds *schema.Registry, object document.Value) (*schema.Kind, bool) {
	group, version, ok := schema.SplitAPIVersion(object.Get("apiVersion").StringOr(""))
	if !ok {
		return nil, false
	}
	return kinds.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: object.Get("kind").StringOr("")})
}

// mutate replaces or removes a random part of a value.
func mutate(r *rand.Rand, v document.Value) document.Value {
	if n := v.Len(); n > 0 && r.IntN(5) > 0 {
		i := r.IntN(n)
		inner := mutate(r, v.At(i))
		switch {
		case v.Kind() == document.Object && !inner.Exists():
			return v.Without(v.Key(i))
		case v.Kind() == document.Object:
			return v.With(v.Key(i), inner)
		case !inner.Exists():
			return v.Splice(i, 1)
		}
		return v.WithItem(i, inner)
	}
	text := [...]string{"", "null", "[]", "{}", `""`, "0", "[null]", `[{}]`, `{"a":null}`, `"x"`, "-1", "1.5", "true", `["a","a"]`, `{"":{}}`, "[[]]", `"100m"`}[r.IntN(17)]
	if text == "" {
		return document.Value{}
	}
	doc, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return doc.Root
}

// TestMutatedObjectsCauseNoInternalError writes objects of all kinds with random mutations: they may be accepted
// or refused, but must not cause an internal error. MUTATIONS is their number.
func TestMutatedObjectsCauseNoInternalError(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("MUTATIONS"))
	if n == 0 {
		n = 2000
	}
	c := newRecorded(t, cluster.Config{})
	objects := recordedObjects(t, c.Kinds())
	r := rand.New(rand.NewPCG(7, 7))
	faults, created := map[string]bool{}, 0
	for i := range n {
		object := objects[i%len(objects)]
		k, _ := kindOf(c.Kinds(), object)
		name := "m" + strconv.Itoa(i)
		object = object.Set(document.NewString(name), "metadata", "name").Remove("metadata", "generateName")
		broken := object
		for range r.IntN(3) + 1 {
			if next := mutate(r, broken); next.Kind() == document.Object {
				broken = next
			}
		}
		write := func(verb cluster.Verb, f cluster.Format, sub string, body document.Value) {
			q := &cluster.Request{Verb: verb, Format: f, Group: k.Group, Version: k.Version, Resource: k.Resource, Name: name, Subresource: sub, Body: body.JSON()}
			q.FieldManager = "m"
			if k.Namespaced {
				q.Namespace = object.Lookup("metadata", "namespace").StringOr("n")
			}
			if verb == cluster.Create {
				q.Name = ""
			}
			ok, fault := answer(c, q)
			if fault != "" && !faults[fault[:min(len(fault), 60)]] {
				faults[fault[:min(len(fault), 60)]] = true
				t.Errorf("%s %s %s/%s %s: %s", verb, k.Kind, name, sub, body, fault)
			}
			if ok && verb == cluster.Create {
				created++
			}
		}
		write(cluster.Create, cluster.JSON, "", broken)
		write(cluster.Create, cluster.JSON, "", object)
		write(cluster.Update, cluster.JSON, "", broken)
		write(cluster.Patch, cluster.MergePatch, "status", broken)
		write(cluster.Patch, cluster.MergePatch, "", broken)
		write(cluster.Patch, cluster.StrategicPatch, "", broken)
		write(cluster.Patch, cluster.ApplyPatch, "", broken)
		write(cluster.Get, cluster.JSON, "", document.Value{})
		write(cluster.Delete, cluster.JSON, "", document.Value{})
	}
	if created < n/2 {
		t.Errorf("of %d sound objects only %d could be created", n, created)
	}
	t.Logf("%d objects made of %d", n, len(objects))
}

// answer sends a request and reports whether it succeeds, and what is wrong with the response.
func answer(c *cluster.Cluster, q *cluster.Request) (ok bool, fault string) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Sprint(v, "\n", string(debug.Stack()))
		}
	}()
	_, err := c.Do(context.Background(), q)
	var st *cluster.Status
	if err == nil || errors.As(err, &st) && (st.Code < 500 || servers(st)) {
		return err == nil, ""
	}
	return false, err.Error()
}
