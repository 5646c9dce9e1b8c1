package explain

import (
	"fmt"
	"math"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// integers reports the numbers of a manifest that do not fit their fields. stored is the
// manifest as an apply decodes it, which has other numbers there, and lacks what is dropped.
func (l *linter) integers(t *schema.Type, v, stored document.Value, path document.Path) {
	if t == nil {
		return
	}
	switch v.Kind() {
	case document.Object:
		for name, w := range v.Members() {
			l.integers(t.Map.Member(name), w, stored.Get(name), append(path, document.FieldStep(name)))
		}
	case document.List:
		if t.List == nil || stored.Kind() != document.List || stored.Len() != v.Len() {
			return
		}
		for i, w := range v.Items() {
			l.integers(t.List.Elem, w, stored.At(i), append(path, document.IndexStep(i)))
		}
	case document.Number:
		if stored.Exists() && !inRange(t.Format, v) {
			l.addUnlessReset(lintIntegerRange, path, fmt.Sprintf("%s is %s, which is outside the range of an %s; an apply stores %s", path, v, t.Format, stored))
		}
	}
}

// inRange reports whether a whole number is in the range of an integer format.
func inRange(format string, v document.Value) bool {
	i, exact := v.Int() // not of 1e3
	f, _ := v.Float()
	switch format {
	case "int32":
		return exact && i == int64(int32(i)) || !exact && f >= math.MinInt32 && f <= math.MaxInt32
	case "int64":
		return exact || math.Abs(f) < 1<<63
	}
	return true
}
