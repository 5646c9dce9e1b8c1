package patch_test

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// labType returns a type with one field for each merge behavior.
func labType() *schema.Type {
	text := &schema.Type{Scalar: schema.StringScalar}
	texts := &schema.Type{Map: &schema.MapType{Elem: text}}
	set := &schema.Type{List: &schema.ListType{Elem: text, Kind: schema.SetList}}
	item := &schema.Type{Name: "Item", Map: &schema.MapType{Fields: []schema.Field{
		{Name: "env", Type: texts},
		{Name: "name", Type: text},
		{Name: "set", Type: set, Strategy: schema.StrategyMerge},
		{Name: "value", Type: text},
	}}}
	items := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	one := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "kind", Type: text}, {Name: "labels", Type: texts}, {Name: "size", Type: text}}}}
	return &schema.Type{Name: "Lab", Map: &schema.MapType{Fields: []schema.Field{
		{Name: "atomic", Type: items},
		{Name: "items", Type: items, Strategy: schema.StrategyMerge, MergeKey: "name"},
		{Name: "labels", Type: texts},
		{Name: "one", Type: one, Strategy: schema.StrategyRetainKeys},
		{Name: "selector", Type: texts, Strategy: schema.StrategyReplace},
		{Name: "set", Type: set, Strategy: schema.StrategyMerge},
		{Name: "text", Type: text},
	}}}
}

const abc = `{"items":[{"name":"a","value":"1"},{"name":"b","value":"2"},{"name":"c","value":"3"}]}`

var strategicCases = []patchCase{
	{"maps merge", `{"labels":{"a":"1"}}`, `{"labels":{"b":"2"},"text":"x"}`, `{"labels":{"a":"1","b":"2"},"text":"x"}`, nil},
	{"null removes, and of nothing does nothing", `{"text":"x"}`, `{"text":null,"labels":null}`, `{}`, nil},
	{"nulls of what is new are left out", `{}`, `{"labels":{"a":null,"b":"1"}}`, `{"labels":{"b":"1"}}`, nil},
	{"an item merges by its key", abc, `{"items":[{"name":"b","value":"9"}]}`, `{"items":[{"name":"a","value":"1"},{"name":"b","value":"9"},{"name":"c","value":"3"}]}`, nil},
	{"new items come first", abc, `{"items":[{"name":"n"}]}`, `{"items":[{"name":"n"},{"name":"a","value":"1"},{"name":"b","value":"2"},{"name":"c","value":"3"}]}`, nil},
	{"a new item stands before the next that the patch names", abc, `{"items":[{"name":"b"},{"name":"n"}]}`, `{"items":[{"name":"a","value":"1"},{"name":"b","value":"2"},{"name":"n"},{"name":"c","value":"3"}]}`, nil},
	{"the patch's order wins over the object's", abc, `{"items":[{"name":"c"},{"name":"a"}]}`, `{"items":[{"name":"b","value":"2"},{"name":"c","value":"3"},{"name":"a","value":"1"}]}`, nil},
	{"an item is deleted", abc, `{"items":[{"$patch":"delete","name":"b","value":"ignored"}]}`, `{"items":[{"name":"a","value":"1"},{"name":"c","value":"3"}]}`, nil},
	{"an item that is not there may be deleted", abc, `{"items":[{"$patch":"delete","name":"z"}]}`, abc, nil},
	{"deleted and added again it loses what it had", abc, `{"items":[{"$patch":"delete","name":"a"},{"name":"a"}]}`, `{"items":[{"name":"a"},{"name":"b","value":"2"},{"name":"c","value":"3"}]}`, nil},
	{"a list is replaced by a directive among its items", abc, `{"items":[{"name":"z"},{"$patch":"replace","name":"dropped"}]}`, `{"items":[{"name":"z"}]}`, nil},
	{"a list is emptied", abc, `{"items":[{"$patch":"replace"}]}`, `{"items":[]}`, nil},
	{"an empty list changes nothing where lists merge", abc, `{"items":[]}`, abc, nil},
	{"an empty list replaces where they do not", `{"atomic":[{"name":"a"}]}`, `{"atomic":[]}`, `{"atomic":[]}`, nil},
	{"what replaces a list keeps its directives and nulls", `{"atomic":[{"name":"a"}]}`, `{"atomic":[{"$patch":"delete","name":null}]}`, `{"atomic":[{"$patch":"delete","name":null}]}`, nil},
	{"a directive in a new list is dropped with its item", `{}`, `{"items":[{"$patch":"delete","name":"a"},{"name":"b"}]}`, `{"items":[{"name":"b"}]}`, nil},
	{"a directive within a new item stays", abc, `{"items":[{"name":"n","env":{"$patch":"delete"}}]}`, `{"items":[{"env":{"$patch":"delete"},"name":"n"},{"name":"a","value":"1"},{"name":"b","value":"2"},{"name":"c","value":"3"}]}`, nil},
	{"a map is emptied", `{"labels":{"a":"1"}}`, `{"labels":{"$patch":"delete","b":"ignored"}}`, `{"labels":{}}`, nil},
	{"a map is replaced by a directive", `{"labels":{"a":"1"}}`, `{"labels":{"$patch":"replace","b":null}}`, `{"labels":{"b":null}}`, nil},
	{"a map is replaced by its strategy", `{"selector":{"a":"1"}}`, `{"selector":{"b":"2"}}`, `{"selector":{"b":"2"}}`, nil},
	{"a missing map with a directive stays missing", `{}`, `{"labels":{"$patch":"delete"}}`, `{}`, nil},
	{"the root may be replaced", `{"text":"x"}`, `{"$patch":"replace","set":["a"]}`, `{"set":["a"]}`, nil},
	{"scalars merge as a set, the patch's first", `{"set":["a","b"]}`, `{"set":["c","b"]}`, `{"set":["c","a","b"]}`, nil},
	{"scalars are deleted before others are added", `{"set":["a","b"]}`, `{"$deleteFromPrimitiveList/set":["a","c"],"set":["c"]}`, `{"set":["c","b"]}`, nil},
	{"nothing is deleted from a missing list", `{}`, `{"$deleteFromPrimitiveList/set":["a"]}`, `{}`, nil},
	{"an order of its own", abc, `{"$setElementOrder/items":[{"name":"c"},{"name":"a"}]}`, `{"items":[{"name":"b","value":"2"},{"name":"c","value":"3"},{"name":"a","value":"1"}]}`, nil},
	{"an order with new and deleted items", abc, `{"$setElementOrder/items":[{"name":"c"},{"name":"n"}],"items":[{"name":"n"},{"$patch":"delete","name":"a"}]}`, `{"items":[{"name":"b","value":"2"},{"name":"c","value":"3"},{"name":"n"}]}`, nil},
	{"an order of scalars", `{"set":["a","b","c"]}`, `{"$setElementOrder/set":["c","a"],"$deleteFromPrimitiveList/set":["b"]}`, `{"set":["c","a"]}`, nil},
	{"an order of what neither side has", `{}`, `{"$setElementOrder/items":[{"name":"a"}]}`, `{}`, nil},
	{"retained keys", `{"one":{"kind":"a","labels":{"x":"1"},"size":"2"}}`, `{"one":{"$retainKeys":["kind","labels"],"kind":"b"}}`, `{"one":{"kind":"b","labels":{"x":"1"}}}`, nil},
	{"retained keys of a missing map are left in", `{}`, `{"one":{"$retainKeys":["kind"],"kind":"b"}}`, `{"one":{"$retainKeys":["kind"],"kind":"b"}}`, nil},
	{"another sort of value replaces", `{"text":"x"}`, `{"text":{"a":null}}`, `{"text":{}}`, nil},
	{"an unknown field may be added", `{}`, `{"bogus":[{"a":1}]}`, `{"bogus":[{"a":1}]}`, nil},
	{"null as a patch does nothing", `{"text":"x"}`, `null`, `{"text":"x"}`, nil},

	{"a patch that is a list", `{}`, `[]`, "", patch.ErrMalformed},
	{"unknown directive in a map", `{"labels":{}}`, `{"labels":{"$patch":"merge"}}`, "", patch.ErrInternal},
	{"unknown directive in an item", abc, `{"items":[{"$patch":"merge","name":"a"}]}`, "", patch.ErrInternal},
	{"an item without its key", abc, `{"items":[{"value":"1"}]}`, "", patch.ErrInternal},
	{"a deletion without the key", abc, `{"items":[{"$patch":"delete"}]}`, "", patch.ErrInternal},
	{"items of another kind", abc, `{"items":["a"]}`, "", patch.ErrInternal},
	{"null among items", abc, `{"items":[null]}`, "", patch.ErrInternal},
	{"a list of lists", `{"set":[]}`, `{"set":[["a"]]}`, "", patch.ErrCannotApply},
	{"scalars deleted from a list of maps", abc, `{"$deleteFromPrimitiveList/items":["a"]}`, "", patch.ErrInternal},
	{"an order that disagrees with the patch", abc, `{"$setElementOrder/items":[{"name":"a"},{"name":"b"}],"items":[{"name":"b"},{"name":"a"}]}`, "", patch.ErrInternal},
	{"an order that leaves out an item of the patch", abc, `{"$setElementOrder/items":[{"name":"a"}],"items":[{"name":"b"}]}`, "", patch.ErrInternal},
	{"an order of a map", `{"labels":{"a":"1"}}`, `{"$setElementOrder/labels":["a"]}`, "", patch.ErrInternal},
	{"an order that is not a list", abc, `{"$setElementOrder/items":{}}`, "", patch.ErrInternal},
	{"an order that names no list", abc, `{"$setElementOrder":[]}`, "", patch.ErrMalformed},
	{"a deletion that names no list", abc, `{"$deleteFromPrimitiveList":[]}`, "", patch.ErrMalformed},
	{"retained keys that are no list", `{"one":{}}`, `{"one":{"$retainKeys":"kind"}}`, "", patch.ErrMalformed},
	{"a member that the retained keys leave out", `{"one":{"kind":"a"}}`, `{"one":{"$retainKeys":["size"],"kind":"b"}}`, "", patch.ErrMalformed},
	{"merging below what has no fields", `{"labels":{"a":{"x":1}}}`, `{"labels":{"a":{"y":1}}}`, "", patch.ErrInternal},
	{"merging an unknown field", `{"bogus":{"x":1}}`, `{"bogus":{"y":1}}`, "", patch.ErrInternal},
}

func TestStrategic(t *testing.T) {
	runCases(t, strategicCases, func(object, change document.Value) (document.Value, error) {
		return patch.Strategic(object, change, labType(), patch.Options{})
	})
}

// TestStrategicTableAgreesWithServer: the library of kube-apiserver returns the results of the
// table.
func TestStrategicTableAgreesWithServer(t *testing.T) {
	for _, c := range strategicCases {
		object, change := parse(t, c.object), parse(t, c.patch)
		if change.Kind() != document.Null { // the server then does not call the library
			agree(t, &verify.Case{Work: verify.StrategicPatch, Kinds: labKind(labType(), false), Input: two("object", object, "patch", change)})
		}
	}
}

// crdType returns the type of a custom resource with two keys, one with a default.
func crdType() *schema.Type {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	port := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "name", Type: text}, {Name: "port", Type: number}, {Name: "protocol", Type: text, Default: `"TCP"`},
	}}}
	ports := &schema.Type{List: &schema.ListType{Elem: port, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "port"}, {Name: "protocol", Default: `"TCP"`}}}}
	box := &schema.Type{Map: &schema.MapType{Elem: text, Atomic: true}}
	args := &schema.Type{List: &schema.ListType{Elem: text}}
	tags := &schema.Type{List: &schema.ListType{Elem: text, Kind: schema.SetList}}
	return &schema.Type{Map: &schema.MapType{PreserveUnknown: true, Fields: []schema.Field{
		{Name: "args", Type: args}, {Name: "box", Type: box}, {Name: "ports", Type: ports}, {Name: "tags", Type: tags},
	}}}
}

var listTypeCases = []patchCase{
	{"items merge by all their keys", `{"ports":[{"port":80,"protocol":"TCP","name":"a"},{"port":80,"protocol":"UDP","name":"b"}]}`, `{"ports":[{"port":80,"protocol":"UDP","name":"c"}]}`, `{"ports":[{"port":80,"protocol":"TCP","name":"a"},{"port":80,"protocol":"UDP","name":"c"}]}`, nil},
	{"a key that is left out has its default", `{"ports":[{"port":80,"protocol":"TCP"}]}`, `{"ports":[{"port":80,"name":"c"}]}`, `{"ports":[{"port":80,"protocol":"TCP","name":"c"}]}`, nil},
	{"a deletion names all keys that have no default", `{"ports":[{"port":80},{"port":81}]}`, `{"ports":[{"$patch":"delete","port":80}]}`, `{"ports":[{"port":81}]}`, nil},
	{"an order names them too", `{"ports":[{"port":80},{"port":81}]}`, `{"$setElementOrder/ports":[{"port":81},{"port":80}]}`, `{"ports":[{"port":81},{"port":80}]}`, nil},
	{"sets merge", `{"tags":["a"]}`, `{"tags":["b"]}`, `{"tags":["b","a"]}`, nil},
	{"other lists are replaced", `{"args":["a"]}`, `{"args":["b"]}`, `{"args":["b"]}`, nil},
	{"atomic maps are replaced", `{"box":{"a":"1"}}`, `{"box":{"b":"2"}}`, `{"box":{"b":"2"}}`, nil},
	{"what is unknown merges as a map and is replaced as a list", `{"x":{"a":1,"l":[1]}}`, `{"x":{"b":2,"l":[2]}}`, `{"x":{"a":1,"b":2,"l":[2]}}`, nil},
	{"an item needs its keys", `{"ports":[{"port":80}]}`, `{"ports":[{"protocol":"UDP"}]}`, "", patch.ErrInternal},
}

func TestStrategicByListTypes(t *testing.T) {
	runCases(t, listTypeCases, func(object, change document.Value) (document.Value, error) {
		return patch.Strategic(object, change, crdType(), patch.Options{ListTypes: true})
	})
}

// TestRepeatedScalarsOfALiveList: which duplicate scalars are removed depends on whether
// scalars are added, as in kube-apiserver 1.36.3.
func TestRepeatedScalarsOfALiveList(t *testing.T) {
	cm := kindOf(t, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	for _, c := range []struct{ live, change, want string }{
		{`["a/x","a/x","b/y"]`, `["c/z"]`, `["c/z","a/x","b/y"]`},
		{`["a/x","b/y","b/y","a/x","e/e"]`, `["q/q","b/y"]`, `["q/q","a/x","b/y","e/e"]`},
		{`["a/x","a/x","b/y","c/z"]`, `[]`, `["a/x","c/z","b/y"]`},
	} {
		object, change := parse(t, `{"metadata":{"finalizers":`+c.live+`}}`), parse(t, `{"metadata":{"finalizers":`+c.change+`}}`)
		agree(t, &verify.Case{Work: verify.StrategicPatch, Kinds: []*schema.Kind{cm}, Input: two("object", object, "patch", change)})
		got, err := patch.Strategic(object, change, cm.Type(), patch.Options{})
		if want := `{"metadata":{"finalizers":` + c.want + `}}`; err != nil || got.String() != want {
			t.Errorf("%s to %s: got %s %v, wanted %s", c.change, c.live, got, err, want)
		}
	}
}

// TestConflictsOfThreeWayPatches: a three-way patch is refused where what has changed in the live
// object since the original is not what the patch makes of it, at each kind of value.
func TestConflictsOfThreeWayPatches(t *testing.T) {
	deployment := kindOf(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	pod := func(text string) document.Value { return parse(t, `{"spec":{"template":{"spec":`+text+`}}}`) }
	for _, c := range []struct {
		why, original, live, wanted string
		conflict                    bool
	}{
		{"another field", `{"hostname":"a"}`, `{"hostname":"a","nodeName":"n"}`, `{"hostname":"b"}`, false},
		{"a text", `{"hostname":"a"}`, `{"hostname":"x"}`, `{"hostname":"b"}`, true},
		{"the same text", `{"hostname":"a"}`, `{"hostname":"b"}`, `{"hostname":"b"}`, false},
		{"a field of an object", `{"securityContext":{"runAsUser":1}}`, `{"securityContext":{"runAsUser":2}}`, `{"securityContext":{"runAsUser":3}}`, true},
		{"another field of an object", `{"securityContext":{"runAsUser":1}}`, `{"securityContext":{"runAsUser":1,"fsGroup":2}}`, `{"securityContext":{"runAsUser":3}}`, false},
		{"a removed object", `{"securityContext":{"runAsUser":1}}`, `{"securityContext":{"runAsUser":2}}`, `{}`, true},
		{"an object that the live object lacks", `{"securityContext":{"runAsUser":1}}`, `{}`, `{"securityContext":{"runAsUser":3}}`, true},
		{"an object that was a text", `{"nodeSelector":{"a":"1"}}`, `{"nodeSelector":"x"}`, `{"nodeSelector":{"a":"2"}}`, true},
		{"a list that was a text", `{"containers":[{"name":"a","command":["x"]}]}`, `{"containers":[{"name":"a","command":"x"}]}`, `{"containers":[{"name":"a","command":["z"]}]}`, true},
		{"a field of an item", `{"containers":[{"name":"a","image":"1"}]}`, `{"containers":[{"name":"a","image":"2"}]}`, `{"containers":[{"name":"a","image":"3"}]}`, true},
		{"a field of the second item", `{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a","image":"3"},{"name":"b","image":"2"}]}`, `{"containers":[{"name":"a","image":"3"},{"name":"b","image":"3"}]}`, true},
		{"the second item, the first one being changed at different fields", `{"containers":[{"name":"a"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}`, `{"containers":[{"name":"a","tty":true},{"name":"b","image":"3"}]}`, true},
		{"different fields of two items", `{"containers":[{"name":"a"},{"name":"b"}]}`, `{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}`, `{"containers":[{"name":"a","tty":true},{"name":"b","tty":true}]}`, false},
		{"items of different sources", `{"volumes":[{"name":"v","emptyDir":{}}]}`, `{"volumes":[{"name":"v","emptyDir":{"medium":"x"}}]}`, `{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}`, true},
		{"a number and a text as the key of items", `{"containers":[]}`, `{"containers":[{"name":"7","image":"1"}]}`, `{"containers":[{"name":7,"image":"2"}]}`, false},
		{"a removed field of an item of an item", `{"containers":[{"name":"a","ports":[{"containerPort":1,"name":"x"}]}]}`, `{"containers":[{"name":"a","ports":[{"containerPort":1,"name":"y"}]}]}`, `{"containers":[{"name":"a","ports":[{"containerPort":1,"protocol":"UDP"}]}]}`, true},
		{"another item", `{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a","image":"2"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"}]}`, true},
		{"a new item", `{"containers":[{"name":"a"}]}`, `{"containers":[{"name":"a"},{"name":"b"}]}`, `{"containers":[{"name":"a"},{"name":"c"}]}`, false},
		{"a new item of both", `{"containers":[{"name":"a"}]}`, `{"containers":[{"name":"a"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a"},{"name":"b","image":"2"}]}`, true},
		{"a removed item", `{"containers":[{"name":"a"},{"name":"b","image":"1"}]}`, `{"containers":[{"name":"a"},{"name":"b","image":"2"}]}`, `{"containers":[{"name":"a"}]}`, true},
		{"a removed item of both", `{"containers":[{"name":"a"},{"name":"b"}]}`, `{"containers":[{"name":"a"}]}`, `{"containers":[{"name":"a"}]}`, false},
		{"an item of an item", `{"containers":[{"name":"a","env":[{"name":"e","value":"1"}]}]}`, `{"containers":[{"name":"a","env":[{"name":"e","value":"2"}]}]}`, `{"containers":[{"name":"a","env":[{"name":"e","value":"3"}]}]}`, true},
		{"a whole list", `{"tolerations":[{"key":"a"}]}`, `{"tolerations":[{"key":"b"}]}`, `{"tolerations":[{"key":"c"}]}`, true},
		{"the second item of a whole list", `{"tolerations":[{"key":"a"},{"key":"b"}]}`, `{"tolerations":[{"key":"a"},{"key":"x"}]}`, `{"tolerations":[{"key":"a"},{"key":"y"}]}`, true},
		{"a whole list of another length", `{"tolerations":[{"key":"a"}]}`, `{"tolerations":[{"key":"a"},{"key":"b"}]}`, `{"tolerations":[{"key":"c"}]}`, true},
		{"a whole list with other fields", `{"tolerations":[{"key":"a"}]}`, `{"tolerations":[{"key":"a","value":"1"}]}`, `{"tolerations":[{"key":"a","effect":"NoExecute"}]}`, false},
		{"volumes of other sources", `{"volumes":[{"name":"v"}]}`, `{"volumes":[{"name":"v","emptyDir":{}}]}`, `{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}`, false},
	} {
		in := two("original", pod(c.original), "modified", pod(c.wanted)).With("current", pod(c.live))
		agree(t, &verify.Case{Work: verify.ThreeWay, Kinds: []*schema.Kind{deployment}, Input: in})
		o := patch.ThreeWayOptions{RefuseConflicts: true}
		_, err := patch.ThreeWayStrategic(in.Get("original"), in.Get("modified"), in.Get("current"), deployment.Type(), o)
		if errors.Is(err, patch.ErrConflict) != c.conflict {
			t.Errorf("%s: %s in place of %s: %v", c.why, c.wanted, c.live, err)
		}
	}
}

// TestConflictsAmongItemsWithoutAKey: objects in a merged list of scalars have no key.
func TestConflictsAmongItemsWithoutAKey(t *testing.T) {
	cm := kindOf(t, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	in := two("original", parse(t, `{}`), "modified", parse(t, `{"metadata":{"finalizers":[{}]}}`)).
		With("current", parse(t, `{"metadata":{"finalizers":[]}}`))
	agree(t, &verify.Case{Work: verify.ThreeWay, Kinds: []*schema.Kind{cm}, Input: in})
	o := patch.ThreeWayOptions{RefuseConflicts: true}
	if _, err := patch.ThreeWayStrategic(in.Get("original"), in.Get("modified"), in.Get("current"), cm.Type(), o); !errors.Is(err, patch.ErrInternal) {
		t.Errorf("a list of scalars that holds an object: %v", err)
	}
}

// TestConflictsOfDuplicateScalars: kubectl compares lists of scalars as sets, even
// with duplicates.
func TestConflictsOfDuplicateScalars(t *testing.T) {
	deployment := kindOf(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	command := func(list string) document.Value {
		return parse(t, `{"spec":{"template":{"spec":{"containers":[{"name":"a","command":`+list+`}]}}}}`)
	}
	for _, c := range []struct {
		live, wanted string
		conflict     bool
	}{
		{`["x","x","y"]`, `["y","y","x"]`, false},
		{`["x","x","y"]`, `["z","y","x"]`, true},
		{`["x","x","y"]`, `["y","x"]`, true},
	} {
		in := two("original", command(`["x"]`), "modified", command(c.wanted)).With("current", command(c.live))
		agree(t, &verify.Case{Work: verify.ThreeWay, Kinds: []*schema.Kind{deployment}, Input: in})
		o := patch.ThreeWayOptions{RefuseConflicts: true}
		_, err := patch.ThreeWayStrategic(in.Get("original"), in.Get("modified"), in.Get("current"), deployment.Type(), o)
		if errors.Is(err, patch.ErrConflict) != c.conflict {
			t.Errorf("%s in place of %s: %v", c.wanted, c.live, err)
		}
	}
}

func TestThreeWayByKind(t *testing.T) {
	deployment := kindOf(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	original := parse(t, `{"spec":{"replicas":1,"paused":true,"template":{"spec":{"containers":[{"name":"a","image":"x"},{"name":"gone"}]}}}}`)
	modified := parse(t, `{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"a","image":"y"}]}}}}`)
	live := parse(t, `{"spec":{"replicas":1,"paused":true,"template":{"spec":{"containers":[{"name":"side"},{"name":"a","image":"x","tty":true},{"name":"gone"}]}}}}`)
	p, typ, err := patch.ThreeWay(original, modified, live, deployment, patch.ThreeWayOptions{})
	if err != nil || typ != patch.TypeStrategic {
		t.Fatal(typ, err)
	}
	got, err := patch.Strategic(live, p, deployment.Type(), patch.Options{})
	if want := `{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"side"},{"image":"y","name":"a","tty":true}]}}}}`; err != nil || got.String() != want {
		t.Errorf("%s gives %s, %v; wanted %s", p, got, err, want)
	}
	p, typ, err = patch.ThreeWay(original, modified, live, nil, patch.ThreeWayOptions{})
	if want := `{"spec":{"paused":null,"replicas":2,"template":{"spec":{"containers":[{"image":"y","name":"a"}]}}}}`; err != nil || typ != patch.TypeMerge || p.String() != want {
		t.Errorf("without a kind: %s %s %v", typ, p, err)
	}
}

// TestDeleteFromEmptyKeyHasNoEffect: a $deleteFromPrimitiveList without a name after the
// slash has no effect, as in the server.
func TestDeleteFromEmptyKeyHasNoEffect(t *testing.T) {
	lists := &schema.Type{Map: &schema.MapType{Elem: schema.Deduced()}}
	object, change := parse(t, `{"":["a"],"x":["a"]}`), parse(t, `{"$deleteFromPrimitiveList/":["a"],"$deleteFromPrimitiveList/x":["a"]}`)
	for name, engine := range map[string]patch.Engine{"ours": nil, "reference": reference.Patch{}} {
		got, err := patch.Strategic(object, change, lists, patch.Options{ListTypes: true, Engine: engine})
		if want := `{"":["a"],"x":[]}`; err != nil || got.String() != want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
}
