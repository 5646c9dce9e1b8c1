package patch

import (
	"sort"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// The rules of strategic merge patches.
const (
	RuleStrategicNull        Rule = "strategic/null-removes"
	RuleStrategicIdle        Rule = "strategic/null-of-nothing"
	RuleStrategicAdd         Rule = "strategic/value-is-added"
	RuleStrategicReplace     Rule = "strategic/value-replaces"
	RuleStrategicSame        Rule = "strategic/same-value"
	RuleStrategicObject      Rule = "strategic/object-into-object"
	RuleStrategicAtomicMap   Rule = "strategic/map-strategy-replace"
	RuleStrategicList        Rule = "strategic/list-without-strategy"
	RuleStrategicMergeKey    Rule = "strategic/merge-key"
	RuleStrategicNewItem     Rule = "strategic/new-item"
	RuleStrategicSet         Rule = "strategic/list-of-scalars"
	RuleStrategicDelete      Rule = "strategic/patch-delete"
	RuleStrategicWhole       Rule = "strategic/patch-replace"
	RuleStrategicRetain      Rule = "strategic/retain-keys"
	RuleStrategicOrder       Rule = "strategic/set-element-order"
	RuleStrategicDeleteItems Rule = "strategic/delete-from-primitive-list"
	RuleStrategicDropped     Rule = "strategic/directive-of-nothing"
)

// The directives of strategic merge patches.
const (
	directivePatch  = "$patch"
	directiveRetain = "$retainKeys"
	directiveOrder  = "$setElementOrder"
	directiveDelete = "$deleteFromPrimitiveList"
)

// Strategic applies a strategic merge patch to an object of type t like kube-apiserver. It
// differs from a merge patch ([Merge]) as follows:
//
//  1. A list with the patch strategy merge is merged: objects by their merge
//     key, scalars as a set. Any other list is replaced.
//  2. In a merged list, new items of the patch come first, in the patch's order;
//     existing items keep their order and move only as far as the patch's order
//     requires. "$setElementOrder/list" sets the order explicitly and must agree
//     with that of the patch.
//  3. {"$patch": "delete", key: …} removes an item. With {"$patch": "replace"} as
//     an item, the other items of the patch become the whole list.
//  4. {"$patch": "delete"} in a map empties it. With {"$patch": "replace", …} the
//     other members become the whole map. Other values are refused, including
//     merge.
//  5. "$retainKeys" lists the keys of a map that are kept; the patch may not set
//     other keys.
//  6. "$deleteFromPrimitiveList/list" removes scalars from a list before others
//     are added.
//  7. In new values and values replaced as a whole, directives have no effect and
//     remain in the object; new maps with $patch are dropped.
//
// Errors have the status code of kube-apiserver: 500 for most errors in directives and
// merge keys, 400 for an invalid $retainKeys. Errors are *Error.
func Strategic(object, patch document.Value, t *schema.Type, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.Strategic(object, patch, t, o)
	}
	if patch.IsNull() {
		return object, nil
	}
	if patch.Kind() != document.Object {
		return document.Value{}, refuse(TypeStrategic, ErrMalformed, nil, "a strategic merge patch must be an object, not "+article(patch.Kind())).
			because(NotAnObject, "", patch)
	}
	if object.Kind() != document.Object {
		return document.Value{}, refuse(TypeStrategic, ErrCannotApply, nil, "the object to patch must be an object, not "+article(object.Kind()))
	}
	w := strategist{walk: walk{observer: o.Observer}, typing: typing{o.ListTypes}, applies: true}
	out, err := w.object(object, patch, t)
	if err != nil {
		return document.Value{}, err
	}
	w.report()
	return out, nil
}

// strategist merges a strategic merge patch into an object if applies is set, otherwise
// into another patch, which keeps nulls and directives.
type strategist struct {
	walk
	typing
	applies bool
}

// fail returns an error at the current path.
func (w *strategist) fail(cause error, reason string) *Error {
	return refuse(TypeStrategic, cause, w.here(), reason)
}

// notDirective returns the error for an object with an invalid value of $patch.
func (w *strategist) notDirective(directive, object document.Value) *Error {
	return w.fail(ErrInternal, "invalid value of $patch: "+excerpt(directive)).because(UnknownDirective, "", directive, object)
}

// notOfKind returns the error for a value that is not an object or not a list.
func (w *strategist) notOfKind(p Problem, got document.Value, reason string) *Error {
	return w.fail(ErrInternal, reason+", not "+article(got.Kind())).because(p, "", got)
}

// mixed returns the error for lists whose items cannot be merged, which itemKind has found to be of a kind.
func (w *strategist) mixed(kind document.Kind, problem string, lists [2]document.Value) *Error {
	err := w.fail(causeOf(kind), problem)
	switch {
	case kind == document.List:
		err.Problem = ListOfLists
	case kind == document.Absent && lists[0].Len() == 0 && lists[1].Len() == 0:
		err.Problem = NoItems
	case kind == document.Absent:
		err.Problem, err.Values = MixedItems, lists[:]
	}
	return err
}

// object merges patch into object, both of type t.
func (w *strategist) object(object, patch document.Value, t *schema.Type) (document.Value, error) {
	special := directives(patch)
	if !special {
		return w.members(object, patch, t, nil)
	}
	if d := patch.Get(directivePatch); d.Exists() {
		return w.whole(object, patch, d)
	}
	var err error
	if r := patch.Get(directiveRetain); r.Exists() {
		if object, err = w.retain(object, patch, r); err != nil {
			return document.Value{}, err
		}
	}
	object, done, err := w.orders(object, patch, t)
	if err != nil {
		return document.Value{}, err
	}
	if object, err = w.deleteLists(object, patch, t); err != nil {
		return document.Value{}, err
	}
	return w.members(object, patch, t, done)
}

// directives reports whether the patch may contain directives, which are keys that begin
// with $.
func directives(patch document.Value) bool {
	i := sort.Search(patch.Len(), func(i int) bool { return patch.Key(i) >= "$" })
	return i < patch.Len() && patch.Key(i)[0] == '$'
}

// whole executes the $patch directive of a map.
func (w *strategist) whole(object, patch, directive document.Value) (document.Value, error) {
	switch text, _ := directive.Text(); text {
	case "replace":
		now := patch.Without(directivePatch)
		w.note(directivePatch, RuleStrategicWhole, Replaced, object, now)
		return now, nil
	case "delete":
		w.note(directivePatch, RuleStrategicDelete, Removed, object, document.Value{})
		return document.NewObject(), nil
	}
	err := w.notDirective(directive, patch)
	err.Hint = "$patch must be replace or delete"
	return document.Value{}, err
}

// members merges the patch's members except directives and those in done.
func (w *strategist) members(object, patch document.Value, t *schema.Type, done map[string]bool) (document.Value, error) {
	changes := make([]remake.Change, 0, patch.Len())
	old := cursor{object: object}
	for key, val := range patch.Members() {
		if isDirective(key) || done[key] {
			continue
		}
		was := old.find(key)
		now, err := w.member(t, key, was, val)
		if err != nil {
			return document.Value{}, err
		}
		if !(was.Exists() && now.Exists() && document.SameNode(was, now)) && (was.Exists() || now.Exists()) {
			changes = append(changes, remake.Change{Key: key, Value: now})
		}
	}
	return remake.WithChanges(object, changes), nil
}

// isDirective reports whether a key of a map is a directive, which is executed elsewhere.
func isDirective(key string) bool {
	return key == directiveRetain || strings.HasPrefix(key, directiveOrder) || strings.HasPrefix(key, directiveDelete)
}

// member merges one member.
func (w *strategist) member(t *schema.Type, key string, was, val document.Value) (document.Value, error) {
	if val.IsNull() {
		if !w.applies {
			return val, nil
		}
		if was.Exists() {
			w.note(key, RuleStrategicNull, Removed, was, document.Value{})
		} else {
			w.note(key, RuleStrategicIdle, Ignored, was, val)
		}
		return document.Value{}, nil
	}
	switch {
	case was.Kind() == document.Object && val.Kind() == document.Object:
		return w.mapMember(t, key, was, val)
	case was.Kind() == document.List && val.Kind() == document.List:
		return w.listMember(t, key, was, val)
	}
	now := w.fresh(val)
	switch {
	case w.observer == nil:
	case !now.Exists():
		w.note(key, RuleStrategicDropped, Ignored, was, val)
	case !was.Exists():
		w.note(key, RuleStrategicAdd, Added, was, now)
	case document.Identical(was, now):
		w.note(key, RuleStrategicSame, Kept, was, now)
	default:
		w.note(key, RuleStrategicReplace, Replaced, was, now)
	}
	return now, nil
}

func (w *strategist) mapMember(t *schema.Type, key string, was, val document.Value) (document.Value, error) {
	f, problem := w.mapField(t, key)
	if problem != "" {
		return document.Value{}, w.unknown(t, key, problem)
	}
	if f.replace {
		w.note(key, RuleStrategicAtomicMap, Replaced, was, val)
		return val, nil
	}
	w.note(key, RuleStrategicObject, Merged, was, val)
	w.key(key)
	now, err := w.object(was, val, f.typ)
	if err != nil {
		return now, err
	}
	w.up()
	return now, nil
}

func (w *strategist) listMember(t *schema.Type, key string, was, val document.Value) (document.Value, error) {
	f, problem := w.listField(t, key)
	if problem != "" {
		return document.Value{}, w.unknown(t, key, problem)
	}
	if !f.merge {
		w.note(key, RuleStrategicList, Replaced, was, val)
		return val, nil
	}
	w.key(key)
	now, err := w.list(was, val, f)
	if err != nil {
		return now, err
	}
	w.up()
	return now, nil
}

// unknown returns the error for an unknown field.
func (w *strategist) unknown(t *schema.Type, key, problem string) *Error {
	w.key(key)
	err := w.fail(ErrInternal, problem)
	w.up()
	if near := nearest(key, fieldNames(t)); near != "" && near != key {
		err.Hint = "did you mean " + strconv.Quote(near) + "?"
	}
	return err
}

// fresh returns the patch's value for a field that the object lacks: without nulls and
// without maps that contain $patch. It is absent if the value is such a map itself.
func (w *strategist) fresh(v document.Value) document.Value {
	if w.applies {
		v = WithoutNulls(v)
	}
	return w.withoutPatches(v)
}

// withoutPatches removes all maps that contain $patch. In a computed patch, order
// directives contain only keys and are not searched.
func (w *strategist) withoutPatches(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		if _, found := v.Find(directivePatch); found {
			return document.Value{}
		}
		var changes []remake.Change
		for key, val := range v.Members() {
			if !w.applies && strings.HasPrefix(key, directiveOrder) {
				continue
			}
			if now := w.withoutPatches(val); !document.SameNode(now, val) {
				changes = append(changes, remake.Change{Key: key, Value: now})
			}
		}
		return remake.WithChanges(v, changes)
	case document.List:
		return remake.Items(v, func(_ int, item document.Value) document.Value { return w.withoutPatches(item) })
	}
	return v
}
