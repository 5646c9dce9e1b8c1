package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// The known differences: where the libraries answer otherwise and ours is meant
// to. They are counted by these names, and doc/verification.md says why each is.
const (
	knownPanic     = "the library panics over a merge key that is no scalar, or a scalar twice in a list"
	knownUnlooked  = "the library refuses a fault in a list that did not change, of which no patch is made"
	knownFloat     = "the library rounds large integers in the patches that it makes"
	knownOrder     = "the library loses a new order of scalars that is the sorted one"
	knownRepeated  = "the library takes a list with a scalar twice for a set, or its answer depends on the memory of that list"
	knownKeys      = "the library merges lists of custom resources by one key only"
	mostExactFloat = 1 << 53
)

// knownDifference names the known difference that two answers fall under, "" for none.
func knownDifference(c *Case, q *question, ours, theirs document.Value, err, theirErr error) string {
	made := c.Work == Create || c.Work == ThreeWay
	switch {
	case holds(theirErr, "comparing uncomparable type", "hash of unhashable type", "index out of range"):
		return knownPanic
	case !c.Kinds[0].Builtin && q.work == StrategicPatch && hasList(c.Kinds[0].Type(), c.Input, severalKeys):
		return knownKeys
	case made && q.work == StrategicPatch && holds(theirErr, "declared merge key", "list element types", "lists of lists", "without merge key", "nil pointer", "special key", "api field"):
		return knownUnlooked
	case made && q.work == StrategicPatch && hasList(c.Kinds[0].Type(), c.Input, keyedScalars):
		return knownUnlooked
	case made && q.work == MergePatch && err == nil && theirErr == nil && sameText(rounded(ours), theirs):
		return knownFloat
	case c.Work == Create && q.work == StrategicPatch && err == nil && theirErr == nil && onlySorts(c.Input.Get("from"), c.Input.Get("to")):
		return knownOrder
	}
	return ""
}

// holds reports whether the text of an error holds one of some parts. The
// libraries tell these errors by their text only.
func holds(err error, parts ...string) bool {
	return err != nil && slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(err.Error(), part) })
}

// severalKeys is true of a list that is keyed by more than one field.
func severalKeys(t *schema.ListType, _ document.Value) bool { return len(t.Keys) > 1 }

// keyedScalars is true of a list that is keyed but holds scalars.
func keyedScalars(t *schema.ListType, v document.Value) bool {
	return len(t.Keys) > 0 && v.Len() > 0 && v.At(0).Kind() != document.Object
}

// hasList reports whether one of the objects of an input has a list of a sort.
func hasList(t *schema.Type, input document.Value, sort func(*schema.ListType, document.Value) bool) bool {
	var has func(t *schema.Type, v document.Value) bool
	has = func(t *schema.Type, v document.Value) bool {
		if t == nil {
			return false
		}
		for key, val := range v.Members() {
			_, name, directive := strings.Cut(key, "/")
			if !directive || !strings.HasPrefix(key, "$") {
				name = key
			}
			if has(t.Map.Member(name), val) {
				return true
			}
		}
		if t.List == nil || v.Kind() != document.List {
			return false
		}
		for _, item := range v.Items() {
			if has(t.List.Elem, item) {
				return true
			}
		}
		return sort(t.List, v)
	}
	for _, v := range input.Members() {
		if has(t, v) {
			return true
		}
	}
	return false
}

// rounded takes the integers of a value through float64.
func rounded(v document.Value) document.Value {
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
	if i, ok := v.Int(); ok && (i > mostExactFloat || i < -mostExactFloat) {
		return parse(strconv.AppendFloat(nil, float64(i), 'f', -1, 64))
	}
	return v
}

// onlySorts reports whether a list of scalars in to has the items of the same
// list in from, which is in another order, sorted.
func onlySorts(from, to document.Value) bool {
	if from.Kind() == document.List && to.Kind() == document.List {
		was, now := texts(from), texts(to)
		if slices.IsSorted(now) && !slices.Equal(was, now) {
			slices.Sort(was)
			if slices.Equal(was, now) {
				return true
			}
		}
		for i := range from.Len() {
			for j := range to.Len() {
				if onlySorts(from.At(i), to.At(j)) {
					return true
				}
			}
		}
	}
	for key, val := range from.Members() {
		if onlySorts(val, to.Get(key)) {
			return true
		}
	}
	return false
}

func texts(list document.Value) []string {
	out := make([]string, 0, list.Len())
	for _, item := range list.Items() {
		out = append(out, item.String())
	}
	return out
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
