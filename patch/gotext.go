package patch

import (
	"sort"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// goText returns a value as Go's fmt prints its decoded form, by which kubectl sorts lists:
// maps as map[a:1 b:2], lists as [1 2], null as <nil>.
func goText(v document.Value) string {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		return s
	case document.Number:
		if i, ok := v.Int(); ok {
			return strconv.FormatInt(i, 10)
		}
		f, _ := v.Float()
		return goFloat(f)
	case document.Bool:
		b, _ := v.Bool()
		return strconv.FormatBool(b)
	case document.List:
		parts := make([]string, v.Len())
		for i, item := range v.Items() {
			parts[i] = goText(item)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case document.Object:
		parts := make([]string, 0, v.Len())
		for key, val := range v.Members() {
			parts = append(parts, key+":"+goText(val))
		}
		sort.Strings(parts)
		return "map[" + strings.Join(parts, " ") + "]"
	}
	return "<nil>"
}

// goFloat formats f like fmt's verb %v: with an exponent of at least two digits if f is
// below 1e-4 or at least 1e21.
func goFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if abs := max(f, -f); abs >= 1e-4 && abs < 1e21 {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}
