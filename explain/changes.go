package explain

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Effect is the effect of a request on a field.
type Effect string

// The effects.
const (
	// Set: the field is new or has another value, and no owner was replaced by another one.
	Set Effect = "set"
	// Removed: the field no longer exists.
	Removed Effect = "removed"
	// TakenOver: an owner lost the field and another one won it. The value may have changed
	// too: compare Before with After.
	TakenOver Effect = "taken over"
	// Shared: the field has the same value and one more owner.
	Shared Effect = "shared"
	// Owned: the field has the same value and its first owner, as a default that a configuration
	// states.
	Owned Effect = "owned"
	// GivenUp: the field has the same value and lost an owner.
	GivenUp Effect = "given up"
)

// The effects that occur only in a [Reason].
const (
	// Kept: the field is unchanged although the request has another value for it.
	Kept Effect = "kept"
	// Reordered: the items of the list have a new order.
	Reordered Effect = "reordered"
	// Ignored: part of the request has no effect.
	Ignored Effect = "ignored"
	// Refused: the request was refused because of the field.
	Refused Effect = "refused"
	// Conflicting: the request was refused because another manager owns the field.
	Conflicting Effect = "conflicting"
	// Noted: a decision about the whole object.
	Noted Effect = "noted"
)

// Change is a field that differs between two states of an object.
type Change struct {
	// Path is the path of the field in field sets.
	Path   document.Path `json:"path"`
	Effect Effect        `json:"effect"`
	// Before and After are the values; absent if there is none.
	Before document.Value `json:"before,omitzero"`
	After  document.Value `json:"after,omitzero"`
	// OwnersBefore and OwnersAfter hold the owners of the field, in the order of
	// managedFields.
	OwnersBefore []fieldmanager.Owner `json:"ownersBefore,omitempty"`
	OwnersAfter  []fieldmanager.Owner `json:"ownersAfter,omitempty"`

	// top is the length of the path to the topmost part that was added or removed together
	// with the field, -1 if the field exists in both states.
	top int
	// form reports that both states have a value at the path, an empty object or list in
	// one and a non-empty one in the other.
	form bool
}

// String returns the change in one line, in which a value and owners that have not changed are named once:
//
//	.spec.replicas taken over: 2, now 5; owned by "gitops", now by "alice" using apps/v1
func (c Change) String() string {
	return c.Path.String() + " " + string(c.Effect) + ": " + fromTo(c.Before.String(), ", now ", c.After.String()) +
		"; owned by " + fromTo(namesOf(c.OwnersBefore), ", now by ", namesOf(c.OwnersAfter))
}

func fromTo(before, now, after string) string {
	if before == after {
		return after
	}
	return before + now + after
}

func namesOf(owners []fieldmanager.Owner) string {
	if len(owners) == 0 {
		return "nobody"
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = o.String()
	}
	return strings.Join(names, " and ")
}

// Changes returns the fields whose value or owners differ between two states of an object
// of type t, sorted by path. Fields are scalars, empty objects and lists, and atomic
// objects and lists. Metadata that the API server sets is excluded (resourceVersion,
// generation, uid, creationTimestamp).
func Changes(t *schema.Type, before, after fieldmanager.Object) []Change {
	was, is := root(t, before), root(t, after)
	d := newDiffer(before, after)
	d.pair(&was, &is)
	return d.changes
}

func newDiffer(before, after fieldmanager.Object) differ {
	was, is := allOwners(before.Managed), allOwners(after.Managed)
	return differ{top: -1, match: matching(was, is), owners: [2][]fieldmanager.Owner{was, is}}
}

// differ compares two states of an object.
type differ struct {
	owners [2][]fieldmanager.Owner // all owners in the object, before and after
	// match maps the indices of managers before to those after, -1 if there is none.
	match   []int
	path    document.Path // of the current pair
	claims  claimStack
	changes []Change
	top     int // as in Change
	// all includes the metadata that the API server sets, and the order of lists that are
	// not atomic.
	all bool
}

// pair compares two places, either of which may have no value.
func (d *differ) pair(was, is *place) {
	if was.v.Exists() == is.v.Exists() && document.SurelyIdentical(was.v, is.v) && d.sameOwners(was.claims, is.claims) {
		return
	}
	top := d.top
	if top < 0 && was.v.Exists() != is.v.Exists() {
		d.top = len(d.path)
	}
	x, y := was.v.Exists() && was.leaf(), is.v.Exists() && is.leaf()
	if x || y {
		d.leaf(was, is, x, y)
	}
	above, below := *was, *is
	if x {
		above.v = document.Value{}
	}
	if y {
		below.v = document.Value{}
	}
	d.members(only(document.Object, &above), only(document.Object, &below))
	if above.v.Kind() == document.List || below.v.Kind() == document.List {
		d.items(only(document.List, &above), only(document.List, &below))
	}
	d.top = top
}

// only returns p if its value has the given kind, and otherwise a copy of p without the value.
func only(kind document.Kind, p *place) *place {
	if p.v.Kind() == kind {
		return p
	}
	return &place{t: p.t, claims: p.claims}
}

// sameOwners reports whether two places and everything below them certainly have the same
// owners.
func (d *differ) sameOwners(was, is []claim) bool {
	claims := 0
	for i := range was {
		c := &was[i]
		if c.none() {
			continue
		}
		if d.match[i] < 0 {
			return false
		}
		o := &is[d.match[i]]
		if c.member != o.member || c.whole != o.whole || !c.fields.Same(o.fields) {
			return false
		}
		claims++
	}
	for i := range is {
		if !is[i].none() {
			claims--
		}
	}
	return claims == 0
}

// leaf records the change of a field, which existed before if x is set and exists
// after if y is set.
func (d *differ) leaf(was, is *place, x, y bool) {
	c := Change{Path: d.path, top: d.top, form: x != y && was.v.Exists() && is.v.Exists()}
	if x {
		c.Before, c.OwnersBefore = was.v, ownersOf(was.claims, d.owners[0])
	}
	if y {
		c.After, c.OwnersAfter = is.v, ownersOf(is.claims, d.owners[1])
	}
	switch {
	case !x:
		c.Effect = Set
	case !y:
		c.Effect = Removed
	default:
		c.Effect = effect(&c)
	}
	if c.Effect != "" {
		c.Path = slices.Clone(d.path)
		d.changes = append(d.changes, c)
	}
}

// effect returns the effect on a field that exists before and after, or "" if nothing
// changed.
func effect(c *Change) Effect {
	lost, won := hasOther(c.OwnersBefore, c.OwnersAfter), hasOther(c.OwnersAfter, c.OwnersBefore)
	switch {
	case lost && won:
		return TakenOver
	case !document.Identical(c.Before, c.After):
		return Set
	case won && len(c.OwnersBefore) == 0 && len(c.OwnersAfter) == 1:
		return Owned
	case won:
		return Shared
	case lost:
		return GivenUp
	}
	return ""
}

// members pairs the members of two objects by name.
func (d *differ) members(was, is *place) {
	for i, j := 0, 0; i < was.v.Len() || j < is.v.Len(); {
		side := -1
		switch {
		case i == was.v.Len():
			side = 1
		case j < is.v.Len():
			side = strings.Compare(was.v.Key(i), is.v.Key(j))
		}
		n := len(d.claims)
		var x, y place
		var name string
		if side <= 0 {
			name, x = was.v.Key(i), was.member(i, &d.claims)
			i++
		}
		if side >= 0 {
			name, y = is.v.Key(j), is.member(j, &d.claims)
			j++
		}
		if len(d.path) != 1 || d.path[0] != document.FieldStep("metadata") || !d.excludes(name) {
			d.below(document.FieldStep(name), &x, &y)
		}
		d.claims.release(n)
	}
}

// excludes reports whether a member of metadata is excluded.
func (d *differ) excludes(name string) bool {
	if d.all {
		return name == "managedFields" || name == "resourceVersion"
	}
	return setByServer(name)
}

// setByServer reports whether the API server sets a member of metadata.
func setByServer(name string) bool {
	switch name {
	case "resourceVersion", "generation", "uid", "creationTimestamp", "managedFields":
		return true
	}
	return false
}

// below compares two places one step down.
func (d *differ) below(s document.Step, was, is *place) {
	d.path = append(d.path, s)
	d.pair(was, is)
	d.path = d.path[:len(d.path)-1]
}

// belowItem is below for a list item. An item without a path element has the path of its
// list.
func (d *differ) belowItem(element string, was, is *place) {
	if element == "" {
		d.pair(was, is)
		return
	}
	d.below(fieldset.Step(element), was, is)
}

// items pairs the items of two lists by path element, duplicates in order, and sorts the
// changes by path element.
func (d *differ) items(was, is *place) {
	at := map[string][]int{}                  // the unpaired items before
	elements := make([]string, 0, is.v.Len()) // of the items now
	for j := range is.v.Len() {
		elements = append(elements, is.element(j))
	}
	paired := 0 // number of leading items with equal indices
	for paired < was.v.Len() && paired < is.v.Len() && (document.SameNode(was.v.At(paired), is.v.At(paired)) || was.element(paired) == elements[paired]) {
		paired++
	}
	for i := paired; i < was.v.Len(); i++ {
		e := was.element(i)
		at[e] = append(at[e], i)
	}
	order := ordered{changes: &d.changes}
	last, moved := paired-1, false
	for j, e := range elements {
		n := len(d.claims)
		now := is.itemOf(j, e, &d.claims)
		var before place
		if j < paired {
			before = was.itemOf(j, e, &d.claims)
		} else if left := at[e]; len(left) > 0 {
			before = was.itemOf(left[0], e, &d.claims)
			at[e] = left[1:]
			moved, last = moved || left[0] < last, left[0]
		}
		order.begin()
		d.belowItem(e, &before, &now)
		order.end(e)
		d.claims.release(n)
	}
	for i := paired; i < was.v.Len(); i++ {
		n := len(d.claims)
		gone, e := was.item(i, &d.claims)
		if left := at[e]; len(left) > 0 && left[0] <= i {
			order.begin()
			d.belowItem(e, &gone, &place{t: gone.t})
			order.end(e)
		}
		d.claims.release(n)
	}
	order.sort()
	if moved && d.all {
		d.changes = append(d.changes, Change{Path: slices.Clone(d.path), Effect: Reordered, Before: was.v, After: is.v, top: -1})
	}
}

// ordered sorts the changes of a list's items by path element.
type ordered struct {
	changes *[]Change
	items   []changedItem
	from    int
}

// changedItem is an item with its changes.
type changedItem struct {
	element string
	changes []Change
}

func (o *ordered) begin() { o.from = len(*o.changes) }

// end assigns the changes since begin to the item with the given path element.
func (o *ordered) end(element string) {
	if n := len(*o.changes); n > o.from {
		o.items = append(o.items, changedItem{element, (*o.changes)[o.from:n:n]})
	}
}

func (o *ordered) sort() {
	if o.plain() {
		o.sortFunc(func(a, b changedItem) int { return strings.Compare(a.element, b.element) })
		return
	}
	steps := map[string]document.Step{}
	values := map[string]document.Value{} // parsed once
	for _, item := range o.items {
		step := fieldset.Step(item.element)
		steps[item.element], values[item.element] = step, step.Value()
	}
	o.sortFunc(func(a, b changedItem) int {
		s, t, v := steps[a.element], steps[b.element], values[a.element]
		if s.Kind() == t.Kind() && v.Exists() {
			return document.Compare(v, values[b.element]) // like Step.Compare, but with the value parsed once
		}
		return s.Compare(t)
	})
}

func (o *ordered) sortFunc(before func(a, b changedItem) int) {
	if slices.IsSortedFunc(o.items, before) {
		return
	}
	sort.SliceStable(o.items, func(a, b int) bool { return before(o.items[a], o.items[b]) < 0 })
	var sorted []Change
	for i := range o.items {
		sorted = append(sorted, o.items[i].changes...)
	}
	*o.changes = append((*o.changes)[:len(*o.changes)-len(sorted)], sorted...)
}

// plain reports whether all path elements are those of one key with a name, such as
// k:{"name":"a"}. They sort like their texts, because the closing quote sorts before every
// character of the names.
func (o *ordered) plain() bool {
	if len(o.items) == 0 {
		return true
	}
	begin, _, _ := strings.Cut(o.items[0].element, `":"`)
	for _, item := range o.items {
		name, ok := strings.CutPrefix(item.element, begin+`":"`)
		name, ended := strings.CutSuffix(name, `"}`)
		if !ok || !ended || strings.ContainsFunc(name, func(r rune) bool { return r <= '"' || r == '\\' }) {
			return false
		}
	}
	return true
}

// hasOther reports whether a has an owner that b lacks. Operation and version are ignored:
// a manager that updated a field and now applies it still owns it.
func hasOther(a, b []fieldmanager.Owner) bool {
	for _, o := range a {
		if !slices.ContainsFunc(b, func(p fieldmanager.Owner) bool { return o.Manager == p.Manager && o.Subresource == p.Subresource }) {
			return true
		}
	}
	return false
}

// ownersOf returns the owners of a place among all owners.
func ownersOf(claims []claim, all []fieldmanager.Owner) []fieldmanager.Owner {
	var out []fieldmanager.Owner
	for i := range claims {
		if claims[i].owns() {
			out = append(out, all[i])
		}
	}
	return out
}

// matching returns, for each owner of one state, the index of the same owner in the other
// state, -1 for none. Each search begins after the previous match, because the entries that
// both states have are mostly in the same order.
func matching(before, after []fieldmanager.Owner) []int {
	match, next := make([]int, len(before)), 0
	for i, owner := range before {
		match[i] = -1
		for n := range after {
			if at := (next + n) % len(after); owner.Same(after[at]) {
				match[i], next = at, at+1
				break
			}
		}
	}
	return match
}

func allOwners(m fieldmanager.Managed) []fieldmanager.Owner {
	owners := make([]fieldmanager.Owner, 0, m.Len())
	for _, e := range m.Entries() {
		owners = append(owners, e.Owner)
	}
	return owners
}
