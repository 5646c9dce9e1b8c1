package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// An annotation that stands for a field of other versions is read when the
// object is decoded already: what came as text is refused, what came as a tree
// is an internal error. (kube-apiserver v1.36.3 answers so.)
func TestWrongAnnotation(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	const object = `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","annotations":{ANNOTATION}},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}}`
	const wrong = `"deprecated.daemonset.template.generation":"x"`
	do := func(r Request) int {
		r.Group, r.Version, r.Resource, r.Namespace, r.FieldManager = "apps", "v1", "daemonsets", "n", "m"
		if _, err := c.Do(context.Background(), &r); err != nil {
			var st *Status
			if !errors.As(err, &st) {
				t.Fatal(err)
			}
			return st.Code
		}
		return 200
	}
	with := func(annotation string) []byte {
		return []byte(strings.Replace(object, "ANNOTATION", annotation, 1))
	}
	if code := do(Request{Verb: Create, Body: with("")}); code != 200 {
		t.Fatalf("create: %d", code)
	}
	force := true
	change := []byte(`{"metadata":{"annotations":{` + wrong + `}}}`)
	for _, step := range []struct {
		name string
		r    Request
		want int
	}{
		{"update", Request{Verb: Update, Name: "d", Body: with(wrong)}, 400},
		{"merge patch", Request{Verb: Patch, Name: "d", Format: MergePatch, Body: change}, 422},
		{"strategic merge patch", Request{Verb: Patch, Name: "d", Format: StrategicPatch, Body: change}, 500},
		{"apply", Request{Verb: Patch, Name: "d", Format: ApplyPatch, Body: with(wrong), Options: Options{Force: &force}}, 500},
	} {
		if got := do(step.r); got != step.want {
			t.Errorf("%s: %d, want %d", step.name, got, step.want)
		}
	}
}
