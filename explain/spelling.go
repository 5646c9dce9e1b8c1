package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// spellingNote returns a note on a conflict over two spellings of the same quantity, such as
// "1" and "1000m", "" for any other conflict. t is the type of the object. An apply compares
// the values as they are written, before the API server stores their canonical form.
func spellingNote(t *schema.Type, c fieldmanager.Conflict) string {
	field := t.At(c.Path)
	if field == nil || field.Format != "quantity" {
		return ""
	}
	live, ok := amount(c.Live)
	if !ok {
		return ""
	}
	wanted, ok := amount(c.Wanted)
	if !ok || live.Cmp(wanted) != 0 {
		return ""
	}
	return "the two are the same quantity, but an apply compares values as they are written; write " + c.Live.String() + " to share the field"
}

// amount parses a quantity, which may be a string or a number.
func amount(v document.Value) (quantity.Quantity, bool) {
	text, ok := v.Text()
	if !ok {
		text = v.NumberText()
	}
	q, err := quantity.Parse(text)
	return q, err == nil
}
