package verify

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// portKind returns a custom resource with a list of two keys, the second with a default.
func portKind() *schema.Kind {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	port := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "name", Type: text}, {Name: "port", Type: number}, {Name: "protocol", Type: text, Default: `"TCP"`}}}}
	list := &schema.ListType{Elem: port, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "port"}, {Name: "protocol", Default: `"TCP"`}}}
	spec := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "ports", Type: &schema.Type{List: list}}, {Name: "size", Type: number}}}}
	return schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Thing"},
		&schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "spec", Type: spec}}}})
}

// knownCases has a case for each known difference. It must not be recognized if the results
// differ in anything else.
var knownCases = []struct {
	name string
	work Work
	kind string // "" for portKind
	in   string
}{
	{knownOrder, Create, "ConfigMap", `{"from":{"metadata":{"finalizers":["b/x","a/x"]},"data":{"a":"1"}},"to":{"metadata":{"finalizers":["a/x","b/x"]},"data":{"a":"2"}}}`},
	{knownFloat, Create, "ConfigMap", `{"from":{"data":{"a":1}},"to":{"data":{"a":9007199254740993}}}`},
	{knownFloat, ThreeWay, "ConfigMap", `{"original":{},"modified":{"data":{"a":9007199254740993}},"current":{"data":{"b":1}}}`},
	{knownUnlooked, Create, "Pod", `{"from":{"spec":{"containers":[{"image":"x"}],"nodeName":"a"}},"to":{"spec":{"containers":[{"image":"x"}],"nodeName":"b"}}}`},
	{knownUnlooked, ThreeWay, "Pod", `{"original":{},"modified":{"spec":{"containers":[{"image":"x"}],"nodeName":"b"}},"current":{"spec":{"containers":[{"image":"x"}],"nodeName":"a"}}}`},
	{knownUnlooked, ThreeWay, "Pod", `{"original":{"spec":{"containers":[{"image":"x"}],"nodeName":"a"}},"modified":{"spec":{"nodeName":"b"}},"current":{"spec":{"containers":[{"image":"x"}],"nodeName":"a"}}}`},
	{knownUnlooked, ThreeWay, "Pod", `{"original":{"spec":{"containers":[{"image":"x"}],"nodeName":"a"}},"modified":{"spec":{"nodeName":"b"}},"current":{"spec":{"containers":[{"image":"x"}],"nodeName":"c"}}}`},
	{knownUnlooked, Create, "Pod", `{"from":{"spec":{"containers":[{"name":{},"ports":[{"name":"x"}]}],"nodeName":"a"}},"to":{"spec":{"containers":[{"name":{},"ports":[{"name":"x"}]}],"nodeName":"b"}}}`},
	{knownKeys, StrategicPatch, "", `{"object":{"spec":{"ports":[{"port":1},{"port":2,"protocol":"UDP"}]}},"patch":{"spec":{"ports":[{"port":1,"protocol":"TCP","name":"dns"},{"$patch":"delete","port":2,"protocol":"UDP"}]}}}`},
	{knownKeys, Create, "", `{"from":{"spec":{"ports":[{"port":1,"name":"a"}]}},"to":{"spec":{"ports":[{"port":1,"name":"b"},{"port":2}]}}}`},
	{knownKeys, StrategicPatch, "", `{"object":{"spec":{"ports":[{"port":1,"protocol":"TCP","name":"a"},{"port":2}]}},"patch":{"spec":{"ports":[{"port":1,"name":"b"}]}}}`},
	{knownKeys, Create, "", `{"from":{"spec":{"ports":[{"port":1}]}},"to":{"spec":{"ports":[{"port":1,"protocol":"TCP","name":"dns"}]}}}`},
	{knownKeys, StrategicPatch, "", `{"object":{"spec":{"ports":[{"port":1},{"port":2,"protocol":"UDP"}]}},"patch":{"spec":{"ports":[{"port":2,"protocol":"UDP","name":"dns"}]}}}`},
	{knownKeys, Create, "", `{"from":{"spec":{"ports":[{"port":1},{"port":2,"protocol":"UDP"}]}},"to":{"spec":{"ports":[{"port":2,"protocol":"UDP","name":"dns"}]}}}`},
	{knownPanic, StrategicPatch, "Pod", `{"object":{"spec":{"containers":[{"name":{}},{"name":"b"}]}},"patch":{"spec":{"containers":[{"name":"b","image":"x"}]}}}`},
	{knownPanic, ThreeWay, "Pod", `{"original":{"spec":{"containers":[{"name":"a","args":["x"]}]}},"modified":{"spec":{"containers":[{"name":"a","args":["x","y","z"]}]}},"current":{"spec":{"containers":[{"name":"a","args":["x","x","x"]}]}}}`},
}

func TestKnownDifferencesAreNarrow(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range knownCases {
		t.Run(test.name, func(t *testing.T) {
			kind := portKind()
			if test.kind != "" {
				var found bool
				if kind, found = catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: test.kind}); !found {
					t.Fatal("no such kind")
				}
			}
			c := &Case{Work: test.work, Kinds: []*schema.Kind{kind}, Input: parse([]byte(test.in))}
			out := newReferee(theReference(), nil).compare(c)
			if out.Difference != nil || out.known != test.name {
				t.Fatalf("known as %q: %v", out.known, out.Difference)
			}
			for what, wrong := range map[string]PatchEngine{
				"says more":         faulty{add: true},
				"refuses as well":   faulty{refuse: errors.New("declared merge key? list element types?")},
				"unexplained panic": faulty{refuse: errors.New("the library panics: assignment to entry in nil map")},
			} {
				r := newReferee(Reference{Merge: theReference().Merge, Patch: wrong}, nil)
				r.tries = 5
				if test.name == knownPanic && what == "says more" {
					continue // a panic has no result
				}
				if out := r.compare(c); out.Difference == nil {
					t.Errorf("an engine that %s is reported as a known difference: %q", what, out.known)
				}
			}
		})
	}
}

// TestUnexplainedPanicIsReportedAsDifference: a panic is known only with its cause.
func TestUnexplainedPanicIsReportedAsDifference(t *testing.T) {
	c := &Case{Work: StrategicPatch, Kinds: []*schema.Kind{portKind()}, Input: parse([]byte(`{"object":{"spec":{"size":1}},"patch":{"spec":{"size":2}}}`))}
	for _, text := range []string{"runtime error: comparing uncomparable type []interface {}", "runtime error: index out of range [1] with length 1"} {
		r := newReferee(Reference{Merge: theReference().Merge, Patch: faulty{refuse: errors.New("the library panics: " + text)}}, nil)
		r.tries = 5
		if out := r.compare(c); out.Difference == nil {
			t.Errorf("%s is known as %q", text, out.known)
		}
	}
}

// faulty is a reference with an additional fault.
type faulty struct {
	reference.Patch
	add    bool
	refuse error
}

func (b faulty) bend(v document.Value, err error) (document.Value, error) {
	switch {
	case b.refuse != nil:
		return document.Value{}, &patch.Error{Operation: -1, Reason: b.refuse.Error(), Err: patch.ErrInternal}
	case err == nil && b.add:
		return v.With("faulty", document.NewBool(true)), nil
	}
	return v, err
}

func (b faulty) Strategic(object, change document.Value, t *schema.Type, o patch.Options) (document.Value, error) {
	return b.bend(b.Patch.Strategic(object, change, t, o))
}

func (b faulty) CreateMerge(from, to document.Value, o patch.Options) (document.Value, error) {
	return b.bend(b.Patch.CreateMerge(from, to, o))
}

func (b faulty) CreateStrategic(from, to document.Value, t *schema.Type, o patch.Options) (document.Value, error) {
	return b.bend(b.Patch.CreateStrategic(from, to, t, o))
}

func (b faulty) ThreeWayMerge(original, modified, current document.Value, o patch.ThreeWayOptions) (document.Value, error) {
	return b.bend(b.Patch.ThreeWayMerge(original, modified, current, o))
}

func (b faulty) ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o patch.ThreeWayOptions) (document.Value, error) {
	return b.bend(b.Patch.ThreeWayStrategic(original, modified, current, t, o))
}
