package verify

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// The known differences: inputs for which our result intentionally differs from that of the
// libraries. Reports count them by these names, and doc/verification.md explains them. Each
// is verified: a difference is known only if the engines agree on the same input without
// its cause. The only exception is a panic of the library, which is recognized by its
// message and its cause in the input.
const (
	knownPanic    = "the library panics on a merge key that is not a scalar, or on duplicate scalars while it looks for conflicts"
	knownUnlooked = "the library refuses or orders lists that did not change, for which no patch is created"
	knownFloat    = "the library rounds large integers in the patches that it creates"
	knownOrder    = "the library omits a new order of scalars if it is the sorted one"
	knownKeys     = "the library merges lists of custom resources by a single key"
)

var knownDifferences = []string{knownPanic, knownUnlooked, knownFloat, knownOrder, knownKeys}

// judgement classifies two different results.
type judgement struct {
	reference    PatchEngine
	c            *Case
	q            *question
	ours, theirs document.Value
	err          error
	theirErr     error
}

// known returns the name of the known difference that explains the results, "" if there is
// none.
func (j *judgement) known() string {
	made := j.c.Work == Create || j.c.Work == ThreeWay
	switch {
	case j.breaksDown(j.theirErr):
		return knownPanic
	case j.q.work == MergePatch && made:
		return j.rounds()
	case j.q.work == StrategicPatch:
		return j.strategic(made)
	}
	return ""
}

// breaksDown reports whether the error is a known panic of the library.
func (j *judgement) breaksDown(err error) bool {
	return j.breaksDownOver(err, j.c.Kinds[0].Type(), j.c.Input)
}

// breaksDownOver is breaksDown for an input of another type.
func (j *judgement) breaksDownOver(err error, t *schema.Type, input document.Value) bool {
	switch {
	case err == nil:
		return false
	case strings.Contains(err.Error(), "index out of range"):
		// The library compares lists of scalars item by item after removing duplicates from
		// each.
		return j.q.refuses && errors.Is(j.err, patch.ErrConflict) && repeats(input)
	}
	return strings.Contains(err.Error(), "comparing uncomparable type") && hasPluralKey(t, input)
}

// rounds runs our engine with integers rounded to float64, as in the library.
func (j *judgement) rounds() string {
	less := rounded(j.c.Input)
	if sameText(less, j.c.Input) {
		return ""
	}
	ours, err := j.q.ask(nil, j.c.Kinds[0].Type(), less)
	if !j.c.same(ours, j.theirs, err, j.theirErr) {
		return ""
	}
	return knownFloat
}

// triesAgain is the number of runs of the library on a modified input; its results may vary
// too.
const triesAgain = 20

// strategic compares again after changing each part with a known cause: lists with several
// keys, unchanged parts for which the library fails or adds an order, new orders that are
// sorted.
func (j *judgement) strategic(made bool) string {
	keys := j.keying()
	t, in := j.c.Kinds[0].Type(), j.c.Input
	for _, name := range [...]string{knownKeys, knownUnlooked, knownOrder} {
		ours, err := j.ours, j.err
		theirType, theirIn, asked := t, in, false
		if keys.several {
			theirType, theirIn, asked = keys.typ, keys.input, true
		}
		if name != knownKeys && made {
			if less := (&pruner{j, theirType}).input(theirIn); !sameText(less, theirIn) {
				theirIn, asked = less, true
			}
		}
		if name == knownOrder && j.c.Work == Create {
			if sorted := in.With("from", reread(j.sorted(t, in.Get("from"), in.Get("to")))); !sameText(sorted, in) {
				asked = true
				if ours, err = j.q.ask(nil, t, sorted); err != nil {
					return ""
				}
			}
		}
		if !asked {
			continue
		}
		for range triesAgain {
			theirs, theirErr := j.q.ask(j.reference, theirType, theirIn)
			if theirErr == nil {
				theirs = keys.back(release(theirs))
			}
			switch {
			case j.c.same(keys.explicit(t, ours), theirs, err, theirErr):
				return name
			case j.breaksDownOver(theirErr, theirType, theirIn):
				return knownPanic
			}
		}
	}
	if j.q.refuses && j.theirErr != nil && !errors.Is(j.theirErr, patch.ErrConflict) && j.inSteps(keys) {
		return knownUnlooked
	}
	return ""
}

// inSteps reports whether our result equals that of the library if it computes the
// three-way patch and detects conflicts in two steps. In one step it compares each pair of
// the three objects, and fails for parts that are equal in one pair; in two steps these can
// be removed from each pair separately.
func (j *judgement) inSteps(keys *keying) bool {
	p := &pruner{j, keys.typ}
	original, current := p.members(keys.typ, keys.input.Get("original"), keys.input.Get("current"), unchangedAround)
	o := patch.Options{ListTypes: !j.c.Kinds[0].Builtin, Engine: j.reference}
	less := p.input(keys.input)
	for range triesAgain {
		wanted, err := patch.ThreeWayStrategic(less.Get("original"), less.Get("modified"), less.Get("current"), keys.typ, patch.ThreeWayOptions{Options: o})
		if err != nil {
			return false
		}
		changed, err := patch.CreateStrategic(original, current, keys.typ, o)
		if err != nil {
			return false
		}
		wanted = release(wanted)
		conflict, err := j.reference.Conflicts(wanted, release(withoutOrders(changed)), keys.typ, o)
		if err != nil {
			return false
		}
		if conflict {
			err = patch.ErrConflict
		}
		if j.c.same(keys.explicit(j.c.Kinds[0].Type(), j.ours), keys.back(wanted), j.err, err) {
			return true
		}
	}
	return false
}

// withoutOrders returns a strategic merge patch as the library has it when it detects
// conflicts: without order directives, and without items, lists and objects that contained
// nothing else.
func withoutOrders(v document.Value) document.Value {
	v, _ = removeOrders(v)
	return v
}

// removeOrders also reports whether v contained order directives and, apart from merge
// keys, nothing else.
func removeOrders(v document.Value) (out document.Value, empty bool) {
	removed := false
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			if strings.HasPrefix(name, "$setElementOrder/") {
				removed = true
			} else if val, gone := removeOrders(val); gone {
				removed = true
			} else {
				b.Set(name, val)
			}
		}
		out = b.Object()
		return out, removed && out.Len() == 0
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			left, gone := removeOrders(item)
			// Only the merge key of an item may be left.
			if gone || left.Len() == 1 && item.Len() > 1 {
				removed = true
			} else {
				b.Append(left)
			}
		}
		out = b.List()
		return out, removed && out.Len() == 0
	}
	return v, false
}

// keying returns the keying of the case's type; built-in kinds have one merge key per list
// regardless of their list types.
func (j *judgement) keying() *keying {
	if t := j.c.Kinds[0].Type(); !j.c.Kinds[0].Builtin {
		return newKeying(t, j.c.Input)
	} else {
		return &keying{typ: t, given: t, input: j.c.Input}
	}
}

// repeats reports whether any list in v contains a scalar twice.
func repeats(v document.Value) bool {
	seen := map[string]bool{}
	for i := range v.Len() {
		item := v.At(i)
		if v.Kind() == document.List && item.Len() == 0 && seen[item.String()] || repeats(item) {
			return true
		}
		seen[item.String()] = true
	}
	return false
}

// hasPluralKey reports whether any list item in the input has a list or an object as its
// merge key.
func hasPluralKey(t *schema.Type, input document.Value) bool {
	return !sameText(textKeys(t, input), input)
}

// textKeys replaces each merge key that is an object or list by a text; release restores
// them.
func textKeys(t *schema.Type, input document.Value) document.Value {
	return mapKeys(t, input, func(_ *schema.ListType, key document.Value) document.Value {
		if key.Kind() >= document.List {
			return held(key)
		}
		return key
	})
}

// mapKeys replaces each merge key of list items in an input by the result of change.
func mapKeys(t *schema.Type, input document.Value, change func(*schema.ListType, document.Value) document.Value) document.Value {
	var in func(t *schema.Type, key string, v document.Value) document.Value
	in = func(t *schema.Type, key string, v document.Value) document.Value {
		if t == nil || v.Kind() < document.List || v.Kind() == document.List && t.List == nil {
			return v
		}
		if v.Kind() == document.Object {
			var b document.ObjectBuilder
			for name, val := range v.Members() {
				list := withoutDirective(name)
				b.Set(name, in(t.Map.Member(list), mergeKeyOf(t.Map, list), val))
			}
			return b.Object()
		}
		names := []string{key}
		for _, k := range t.List.Keys {
			names = append(names, k.Name)
		}
		var b document.ListBuilder
		for _, item := range v.Items() {
			item = in(t.List.Elem, "", item)
			for _, name := range names {
				if k := item.Get(name); k.Exists() {
					item = item.With(name, change(t.List, k))
				}
			}
			b.Append(item)
		}
		return b.List()
	}
	for name, v := range input.Members() {
		input = input.With(name, in(t, "", v))
	}
	return input
}

// mergeKeyOf returns the merge key for the items of a member, "" if there is none.
func mergeKeyOf(m *schema.MapType, name string) string {
	f := m.Field(name)
	if f != nil && f.MergeKey != "" {
		return f.MergeKey
	}
	if t := m.Member(name); t != nil && t.List != nil && len(t.List.Keys) > 0 {
		return t.List.Keys[0].Name
	}
	return ""
}

// withoutDirective returns the list name in a directive such as $setElementOrder/ports, or
// the name itself.
func withoutDirective(name string) string {
	if directive, list, found := strings.Cut(name, "/"); found && strings.HasPrefix(directive, "$") {
		return list
	}
	return name
}

// rebuilt returns an object or list with the results of f for its members or items. Members for which it is absent are
// left out.
func rebuilt(v document.Value, f func(document.Value) document.Value) document.Value {
	if v.Kind() == document.Object {
		var b document.ObjectBuilder
		for name, member := range v.Members() {
			b.Set(name, f(member))
		}
		return b.Object()
	}
	var b document.ListBuilder
	for _, item := range v.Items() {
		b.Append(f(item))
	}
	return b.List()
}

// rounded converts the integers of a value to float64 and back.
func rounded(v document.Value) document.Value {
	const mostExact = 1 << 53
	if v.Kind() == document.Object || v.Kind() == document.List {
		return rebuilt(v, rounded)
	}
	if i, ok := v.Int(); ok && (i > mostExact || i < -mostExact) {
		return parse(strconv.AppendFloat(nil, float64(i), 'f', -1, 64))
	}
	return v
}
