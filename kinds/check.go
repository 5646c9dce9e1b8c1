package kinds

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A check collects what is wrong with one object. Its methods add errors (named by
// the reason in a Status) or apply one rule to one field. Rules on text, numbers and
// lists accept a field that is missing or empty: whether a value is required is a
// rule of its own (need).
type check struct {
	// kind is the kind whose validation runs.
	kind *schema.Kind
	// object is the object under validation.
	object document.Value
	// subresource is the part that is written, "" for the object itself.
	subresource string
	// valid is an object that is known to be valid, absent for none.
	valid document.Value
	errs  []schema.FieldError
	steps []step
	shown []string // texts of shownSteps
}

// checks lends checks out again for their steps.
var checks sync.Pool

// maxSteps limits how many steps a check keeps between two objects.
const maxSteps = 4 << 10

// newCheck returns a check of an object that is written through a subresource.
func newCheck(k *schema.Kind, subresource string, object document.Value) *check {
	c, _ := checks.Get().(*check)
	if c == nil {
		c = &check{}
	}
	c.kind, c.subresource, c.object = k, subresource, object
	c.steps = append(c.steps, step{})
	return c
}

// release makes the check available to others. Its fields may not be used any more.
func (c *check) release() {
	steps, shown := c.steps, c.shown
	if *c = (check{}); cap(steps) <= maxSteps {
		clear(steps)
		clear(shown)
		c.steps, c.shown = steps[:0], shown[:0]
	}
	checks.Put(c)
}

// root returns the field of a whole object.
func (c *check) root(object document.Value) field { return field{object, c, 0} }

// add adds an error about f. The wrong value is read from the object when the
// errors are complete, see finish.
func (c *check) add(t schema.ErrorType, f field, detail string) {
	c.errs = append(c.errs, schema.FieldError{Type: t, Path: f.path(), Field: f.pathText(), Detail: detail})
}

// addValue adds an error about f that shows another value than f's.
func (c *check) addValue(t schema.ErrorType, f field, bad, detail string) {
	c.errs = append(c.errs, schema.FieldError{Type: t, Path: f.path(), Field: f.pathText(), BadValue: document.NewString(bad), Detail: detail})
}

// invalid adds "Invalid value" for f.
func (c *check) invalid(f field, detail string) { c.add(schema.ErrorInvalid, f, detail) }

// invalidText adds "Invalid value" for f and shows text, such as the key of a map.
func (c *check) invalidText(f field, text, detail string) {
	c.addValue(schema.ErrorInvalid, f, text, detail)
}

// required adds "Required value" for f.
func (c *check) required(f field, detail string) { c.add(schema.ErrorRequired, f, detail) }

// forbidden adds "Forbidden" for f.
func (c *check) forbidden(f field, detail string) { c.add(schema.ErrorForbidden, f, detail) }

// duplicate adds "Duplicate value" for f.
func (c *check) duplicate(f field) { c.add(schema.ErrorDuplicate, f, "") }

// notFound adds "Not found" for f.
func (c *check) notFound(f field) { c.add(schema.ErrorNotFound, f, "") }

// internalError adds "Internal error" for f.
func (c *check) internalError(f field, detail string) { c.add(schema.ErrorInternal, f, detail) }

// notSupported adds "Unsupported value" for f; supported are the values that are,
// with commas between them, "" for none to show.
func (c *check) notSupported(f field, supported string) {
	c.add(schema.ErrorNotSupported, f, supportedValues(supported))
}

// tooLong adds "Too long" for f.
func (c *check) tooLong(f field, limit int) {
	c.add(schema.ErrorTooLong, f, "may not be more than "+strconv.Itoa(limit)+" bytes")
}

// tooMany adds "Too many" for f.
func (c *check) tooMany(f field, limit int) {
	c.add(schema.ErrorTooMany, f, "must have at most "+strconv.Itoa(limit)+" items")
}

func supportedValues(list string) string {
	if list == "" {
		return ""
	}
	return "supported values: " + quoted(strings.Split(list, ","))
}

// quoted joins texts in quotes with commas.
func quoted(texts []string) string {
	var b strings.Builder
	for i, s := range texts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(s))
	}
	return b.String()
}

// failed reports whether errors were added since mark, which is an earlier
// len(c.errs).
func (c *check) failed(mark int) bool { return len(c.errs) > mark }

// finish returns the errors, each once, with their values.
func (c *check) finish() []schema.FieldError {
	var out []schema.FieldError
	for _, e := range c.errs {
		same := func(o schema.FieldError) bool {
			return o.Type == e.Type && o.Field == e.Field && o.Detail == e.Detail && document.Equal(o.BadValue, e.BadValue)
		}
		if !e.BadValue.Exists() && showsValue(e.Type) {
			e.BadValue = c.object.Follow(e.Path)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, e)
		}
	}
	return out
}

func showsValue(t schema.ErrorType) bool {
	switch t {
	case schema.ErrorRequired, schema.ErrorForbidden, schema.ErrorTooLong, schema.ErrorInternal:
		return false
	}
	return true
}
