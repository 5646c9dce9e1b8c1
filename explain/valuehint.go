package explain

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ValueHint returns advice for a value that YAML parsed as a boolean or a number although the
// schema expects a string, for the reverse, and for a variable that a tool replaces which was not used.
// YAML 1.1 reads yes, no, on, off, y and n as booleans. The parsed value is not suggested as the string,
// because it may be spelled differently in the file.
func ValueHint(t *schema.Type, v document.Value) string {
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
	case strings.Contains(text, "${") && strings.Contains(text, "}"):
		return "this contains a variable; replace it first, for example with 'flux envsubst'"
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
