package patchlab

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// hintFor returns advice on an invalid field: the name of a similar field, quotation marks that
// are missing or too many, that a template was not rendered, or that the object was exported; ""
// if there is none.
func hintFor(t *schema.Type, v document.Value, path document.Path) string {
	if near := t.NearestField(path); near != "" {
		return "did you mean " + near + "?"
	}
	if slices.Equal(path, document.Keys("metadata", "managedFields")) && v.Follow(path).Len() > 0 {
		return "remove the fields that the API server owns from an exported object, for example with 'patchlab defaults --minimize'"
	}
	v = v.Follow(path)
	if text, _ := v.Text(); strings.Contains(text, "{{") && strings.Contains(text, "}}") {
		return "this looks like a template; render it first, for example with 'helm template'"
	}
	return quoteHint(t.At(path), v)
}

// quoteHint returns advice for a value that YAML parsed as a boolean or a number although the
// schema expects a string, and for the reverse. YAML 1.1 reads yes, no, on, off, y and n as
// booleans. The parsed value is not suggested as the string, because it may be spelled
// differently in the file.
func quoteHint(t *schema.Type, v document.Value) string {
	if t == nil {
		return ""
	}
	text, _ := v.Text()
	switch kind := v.Kind(); {
	case t.Scalar == schema.StringScalar && kind == document.Number:
		return "put it in quotes as it is written: YAML reads 1.10 as 1.1, 010 as 8 and 1e3 as 1000"
	case t.Scalar == schema.StringScalar && kind == document.Bool:
		return "put it in quotes: YAML reads yes, no, on, off, true and false as booleans"
	case t.Scalar == schema.IntegerScalar && isNumber(text) && !strings.Contains(text, "."), t.Scalar == schema.NumberScalar && isNumber(text),
		t.Scalar == schema.BooleanScalar && (text == "true" || text == "false"):
		return "remove the quotes: " + text
	}
	return ""
}

// isNumber reports whether YAML reads a text as the decimal number that it spells. A number that begins
// with 0 may be octal.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	digits := strings.TrimLeft(text, "+-")
	octal := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	return err == nil && strings.Trim(text, "+-.0123456789") == "" && !octal
}
