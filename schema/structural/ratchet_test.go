package structural

import (
	"testing"
)

// TestRatchetingValidatesValuesThatLostMembers: an update is refused only for errors in changed values. A
// value from which something was removed is changed.
func TestRatchetingValidatesValuesThatLostMembers(t *testing.T) {
	const object = "{type: object, required: [b], properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}}}"
	const list = "{type: array, minItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer}}}}"
	for _, c := range []struct{ why, schema, old, next, want string }{
		{"the same object is ratcheted", object, "{a: 1}", "{a: 1}", ""},
		{"the required member was removed", object, "{a: 1, b: 2}", "{a: 1}", "spec.b: Required value"},
		{"another member was removed", object, "{a: 1, c: 2}", "{a: 1}", "spec.b: Required value"},
		{"a member was added", object, "{a: 1}", "{a: 1, c: 2}", "spec.b: Required value"},
		{"a member was changed", object, "{a: 1}", "{a: 2}", "spec.b: Required value"},
		{"the same list is ratcheted", list, "[{k: x}]", "[{k: x}]", ""},
		{"an item was removed", list, "[{k: x}, {k: y}]", "[{k: x}]", "spec: Invalid value: 1: spec in body should have at least 2 items"},
		{"an item was changed", list, "[{k: x, v: 1}]", "[{k: x, v: 2}]", "spec: Invalid value: 1: spec in body should have at least 2 items"},
	} {
		old := parse(t, thing+c.old+"}")
		if got := texts(Validate(typeOf(t, c.schema), parse(t, thing+c.next+"}"), Options{Old: old})); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.why, got, c.want)
		}
	}
}
