package patchlab

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// hintFor returns advice on an invalid field: the name of a similar field, or quotation marks;
// "" if there is none.
func hintFor(t *schema.Type, v document.Value, path document.Path) string {
	if near := t.NearestField(path); near != "" {
		return "did you mean " + near + "?"
	}
	return quoteHint(t, v, path)
}

// quoteHint returns advice for a value that YAML parsed as a boolean or a number although
// the schema expects a string: YAML 1.1 reads yes, no, on, off, y and n as booleans. It
// returns "" for any other value.
func quoteHint(t *schema.Type, v document.Value, path document.Path) string {
	v = v.Follow(path)
	if t = t.At(path); t == nil || t.Scalar != schema.StringScalar {
		return ""
	}
	switch v.Kind() {
	case document.Number:
		return "put it in quotes: " + strconv.Quote(v.String())
	case document.Bool:
		return "put it in quotes: YAML reads yes, no, on, off, true and false as booleans"
	}
	return ""
}
