package verify

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// The known differences: where the libraries answer otherwise and ours is meant
// to. They are counted by these names, and doc/verification.md says why each is.
// None is taken on trust: but for a panic, after which there is nothing to
// compare, one is known only if the engines agree on the input without what makes
// the difference.
const (
	knownPanic    = "the library panics over a merge key that is no scalar, or over a scalar twice while it looks for conflicts"
	knownUnlooked = "the library refuses or orders what did not change, of which no patch is made"
	knownFloat    = "the library rounds large integers in the patches that it makes"
	knownOrder    = "the library loses a new order of scalars that is the sorted one"
	knownKeys     = "the library merges lists of custom resources by one key only"
)

// judgement is about two answers that differ.
type judgement struct {
	reference    patch.Engine
	c            *Case
	q            *question
	ours, theirs document.Value
	err          error
	theirErr     error
}

// known names the known difference that the answers fall under, "" for none.
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

// breaksDown reports whether the library panics as it is known to.
func (j *judgement) breaksDown(err error) bool {
	switch {
	case err == nil:
		return false
	case strings.Contains(err.Error(), "index out of range"):
		// It compares lists of scalars item by item once it has taken out of each
		// what stands twice.
		return j.q.refuses && errors.Is(j.err, patch.ErrConflict) && repeats(j.c.Input)
	}
	return strings.Contains(err.Error(), "comparing uncomparable type") && hasPluralKey(j.c.Kinds[0].Type(), j.c.Input)
}

// rounds asks ours again with the numbers that the library takes the input's for.
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

// triesAgain is how often the library is asked about an input that was changed:
// what it answers then may vary too.
const triesAgain = 20

// strategic asks again with each part changed that is known to make a difference:
// what has not changed and the library alone minds, lists with several keys, new
// orders that are sorted.
func (j *judgement) strategic(made bool) string {
	t, in := j.c.Kinds[0].Type(), j.c.Input
	keys := j.keying()
	if keys.ambiguous || keys.several && hasPluralKey(t, in) {
		return knownKeys
	}
	if made && j.theirErr != nil && hasPluralKey(t, in) {
		// Which items have not changed cannot be told where keys are no scalars.
		return knownUnlooked
	}
	if j.q.refuses && j.theirErr != nil && !errors.Is(j.theirErr, patch.ErrConflict) && keys.minded(j) {
		return knownUnlooked
	}
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
		for range triesAgain {
			if !asked {
				break
			}
			theirs, theirErr := j.q.ask(j.reference, theirType, theirIn)
			if theirErr == nil {
				theirs = keys.back(release(theirs))
			}
			switch {
			case j.c.same(ours, theirs, err, theirErr):
				return name
			case j.breaksDown(theirErr):
				return knownPanic
			}
		}
	}
	return ""
}

// keying is that of the case's type; kinds of the catalog have one merge key in a
// list, whatever their list types say.
func (j *judgement) keying() *keying {
	if t := j.c.Kinds[0].Type(); !j.c.Kinds[0].Builtin {
		return newKeying(t, j.c.Input)
	} else {
		return &keying{typ: t, input: j.c.Input}
	}
}

// repeats reports whether a list somewhere in v holds a scalar twice.
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

// hasPluralKey reports whether an item of a list somewhere in the objects of an
// input has a list or an object for its merge key.
func hasPluralKey(t *schema.Type, input document.Value) bool {
	var in func(t *schema.Type, key string, v document.Value) bool
	in = func(t *schema.Type, key string, v document.Value) bool {
		if t == nil {
			return false
		}
		for name, val := range v.Members() {
			name = withoutDirective(name)
			if in(t.Map.Member(name), mergeKeyOf(t.Map, name), val) {
				return true
			}
		}
		if t.List == nil || v.Kind() != document.List {
			return false
		}
		for _, item := range v.Items() {
			for _, k := range t.List.Keys {
				if item.Get(k.Name).Kind() >= document.List {
					return true
				}
			}
			if item.Get(key).Kind() >= document.List || in(t.List.Elem, "", item) {
				return true
			}
		}
		return false
	}
	for _, v := range input.Members() {
		if in(t, "", v) {
			return true
		}
	}
	return false
}

// mergeKeyOf returns by which key the items of a member are told apart, "" if by
// none.
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

// withoutDirective returns the name of the list that a directive such as
// $setElementOrder/ports is about, or the name itself.
func withoutDirective(name string) string {
	if directive, list, found := strings.Cut(name, "/"); found && strings.HasPrefix(directive, "$") {
		return list
	}
	return name
}

// rounded takes the integers of a value through float64.
func rounded(v document.Value) document.Value {
	const mostExact = 1 << 53
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for key, val := range v.Members() {
			b.Set(key, rounded(val))
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(rounded(item))
		}
		return b.List()
	}
	if i, ok := v.Int(); ok && (i > mostExact || i < -mostExact) {
		return parse(strconv.AppendFloat(nil, float64(i), 'f', -1, 64))
	}
	return v
}
