package kinds

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// maxChanges is the number of changed fields that a hint names.
const maxChanges = 4

// nameChanges adds a hint to the last error, which is about a change of a whole object or list:
// the fields in it that differ. Unlike the field of the error, which is as in kube-apiserver, they are
// written as in all other hints, such that they can be used as paths.
func (c *check) nameChanges(f field, next, old document.Value) {
	var paths []string
	appendChanges(&paths, f.path(), next, old)
	if len(paths) == 0 {
		return
	}
	hint := "changed: "
	if len(paths) > maxChanges {
		paths, hint = paths[:maxChanges], "changed, among others: "
	}
	c.errs[len(c.errs)-1].Hint = hint + strings.Join(paths, ", ")
}

// appendChanges appends the paths of the fields that differ, until there are more than
// maxChanges.
func appendChanges(paths *[]string, at document.Path, next, old document.Value) {
	switch {
	case len(*paths) > maxChanges || document.Equal(next, old) || sameAmount(next, old):
	case next.Kind() == document.Object && old.Kind() == document.Object:
		for key, v := range next.Members() {
			appendChanges(paths, at.Child(key), v, old.Get(key))
		}
		for key, v := range old.Members() {
			if !next.Get(key).Exists() {
				appendChanges(paths, at.Child(key), document.Value{}, v)
			}
		}
	case next.Kind() == document.List && old.Kind() == document.List && next.Len() == old.Len():
		for i, item := range next.Items() {
			appendChanges(paths, at.Item(i), item, old.At(i))
		}
	default:
		if text := at.String(); !slices.Contains(*paths, text) {
			*paths = append(*paths, text)
		}
	}
}

// sameAmount reports whether two texts are the same amount, such as 1Gi and 1024Mi.
func sameAmount(a, b document.Value) bool {
	x, isText := a.Text()
	y, areTexts := b.Text()
	if !isText || !areTexts {
		return false
	}
	p, err := quantity.Parse(x)
	if err != nil {
		return false
	}
	q, err := quantity.Parse(y)
	return err == nil && p.Cmp(q) == 0
}
