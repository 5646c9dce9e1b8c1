package kinds

import (
	"strconv"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A check collects the validation errors of one object. Its methods add errors, or apply a
// rule to a field. Rules for strings, numbers and lists accept an absent or empty field; need
// requires a value.
type check struct {
	// kind is the kind of the object; nil for a check of metadata.
	kind *schema.Kind
	// catalog is that of the Kubernetes version whose rules apply to metadata; nil for
	// schema.DefaultVersion.
	catalog *schema.Catalog
	// object is the object under validation.
	object document.Value
	// subresource is the subresource that is written, "" for the object itself.
	subresource string
	// old is the stored object, absent on create.
	old document.Value
	// valid is an object that is known to pass validation, absent if there is none.
	valid document.Value
	// written is the object before decoding dropped empty lists and maps of it, absent if
	// there were none.
	written document.Value
	errs    []schema.FieldError
	// metadataAt is the number of errors after which the strategy of the kind validates the metadata:
	// that of an update for the last time, and that of a new object at all.
	metadataAt int
	steps      []step
	shown      []string // the texts of shownSteps
}

// checks is a pool of checks, which keep the memory for their paths.
var checks sync.Pool

// maxSteps is the maximum number of steps for which a reused check keeps memory.
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

// release returns the check to the pool. Its fields must not be used afterwards.
func (c *check) release() {
	steps, shown := c.steps, c.shown
	if *c = (check{}); cap(steps) <= maxSteps {
		clear(steps)
		clear(shown)
		c.steps, c.shown = steps[:0], shown[:0]
	}
	checks.Put(c)
}

// root returns the field of the whole object.
func (c *check) root(object document.Value) field { return field{object, c, 0} }

// add adds an error for f, with the value of f if such errors show one.
func (c *check) add(t schema.ErrorType, f field, detail string) {
	c.addError(c.newError(t, f, detail))
}

// newError returns the error that add adds.
func (c *check) newError(t schema.ErrorType, f field, detail string) schema.FieldError {
	e := schema.FieldError{Type: t, Path: f.path(), Field: f.pathText(), Detail: detail}
	if showsValue(t) {
		e.BadValue = f.Value
		if !e.BadValue.Exists() {
			e.BadValue = c.absent(e.Path)
		}
	}
	return e
}

// addError adds an error whose value has a Go type in kube-apiserver.
func (c *check) addError(e schema.FieldError) {
	e.Typed, e.JSONText = true, hasJSONText(&e)
	c.errs = append(c.errs, e)
}

// invalidAlone adds an error "Invalid value" for f that shows no value.
func (c *check) invalidAlone(f field, detail string) {
	c.invalid(f, detail)
	c.errs[len(c.errs)-1].BadValue = document.Value{}
}

// addValue adds an error for f that shows the value bad instead of f's.
func (c *check) addValue(t schema.ErrorType, f field, bad, detail string) {
	c.addError(schema.FieldError{Type: t, Path: f.path(), Field: f.pathText(), BadValue: document.NewString(bad), Detail: detail})
}

// invalid adds an error "Invalid value" for f.
func (c *check) invalid(f field, detail string) { c.add(schema.ErrorInvalid, f, detail) }

// invalidText is invalid for an error that shows text, such as a map key, instead of f's value.
func (c *check) invalidText(f field, text, detail string) {
	c.addValue(schema.ErrorInvalid, f, text, detail)
}

// unmet adds an error "Invalid value" for f for each requirement in why, the result of a
// function of package names.
func (c *check) unmet(f field, why string) {
	for _, requirement := range strings.Split(why, "\n") {
		c.invalid(f, requirement)
	}
}

// unmetText is unmet for errors that show text instead of f's value.
func (c *check) unmetText(f field, text, why string) {
	for _, requirement := range strings.Split(why, "\n") {
		c.invalidText(f, text, requirement)
	}
}

// invalidValue adds an error "Invalid value" for f that shows another value than f's.
func (c *check) invalidValue(f field, shown document.Value, detail string) {
	c.errs = append(c.errs, schema.FieldError{Type: schema.ErrorInvalid, Path: f.path(), Field: f.pathText(), BadValue: shown, Detail: detail})
}

// duplicateValue adds an error "Duplicate value" for f that shows another value instead of f's.
func (c *check) duplicateValue(f field, shown document.Value) {
	c.invalidValue(f, shown, "")
	c.errs[len(c.errs)-1].Type = schema.ErrorDuplicate
}

// valueOmitted replaces a value in messages that would be too long.
const valueOmitted = "<value omitted>"

// isImmutable is the usual detail of invalidChange and forbiddenChange.
const isImmutable = "field is immutable"

// invalidChange adds an error "Invalid value" for f, which has changed although it cannot be
// changed once it is set.
func (c *check) invalidChange(f field, detail string) { c.change(schema.ErrorInvalid, f, detail) }

// forbiddenChange is invalidChange for an error "Forbidden".
func (c *check) forbiddenChange(f field, detail string) { c.change(schema.ErrorForbidden, f, detail) }

func (c *check) change(t schema.ErrorType, f field, detail string) {
	e := c.newError(t, f, detail)
	e.Immutable = true
	c.addError(e)
}

// required adds an error "Required value" for f.
func (c *check) required(f field, detail string) { c.add(schema.ErrorRequired, f, detail) }

// forbidden adds an error "Forbidden" for f.
func (c *check) forbidden(f field, detail string) { c.add(schema.ErrorForbidden, f, detail) }

// duplicate adds an error "Duplicate value" for f.
func (c *check) duplicate(f field) { c.add(schema.ErrorDuplicate, f, "") }

// notFound adds an error "Not found" for f.
func (c *check) notFound(f field) { c.add(schema.ErrorNotFound, f, "") }

// internalError adds an error "Internal error" for f.
func (c *check) internalError(f field, detail string) { c.add(schema.ErrorInternal, f, detail) }

// notSupported adds an error "Unsupported value" for f; supported is a comma-separated list of
// the valid values, of which "" may be the only one.
func (c *check) notSupported(f field, supported string) {
	c.add(schema.ErrorNotSupported, f, supportedValues(supported))
}

// tooLong adds an error "Too long" for f.
func (c *check) tooLong(f field, limit int) {
	c.add(schema.ErrorTooLong, f, "may not be more than "+strconv.Itoa(limit)+" bytes")
}

// tooMany adds an error "Too many" for f, which shows the number of items.
func (c *check) tooMany(f field, limit int) {
	c.add(schema.ErrorTooMany, f, "must have at most "+strconv.Itoa(limit)+" items")
	c.errs[len(c.errs)-1].BadValue = document.NewInt(int64(f.Len()))
}

func supportedValues(list string) string {
	return "supported values: " + quoted(strings.Split(list, ","))
}

// quoted returns the texts quoted and separated by commas.
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

// joined returns the requirements in why with a separator between them, for rules for which
// kube-apiserver reports one error with all of them.
func joined(why, separator string) string { return strings.ReplaceAll(why, "\n", separator) }

// again adds the errors from mark to end again, because kube-apiserver applies the same rules twice.
func (c *check) again(mark, end int) { c.errs = append(c.errs, c.errs[mark:end]...) }

// failed reports whether errors were added since mark, an earlier value of len(c.errs).
func (c *check) failed(mark int) bool { return len(c.errs) > mark }

// absent returns the value that kube-apiserver shows for an absent field: "" for a string that is no pointer in
// Go, the list or map that the client wrote empty, and null for others, most of which are pointers, lists or
// maps. A field of an unknown type is part of the metadata or of an annotation, where most are strings.
func (c *check) absent(path document.Path) document.Value {
	if v := c.written.Follow(path); v.Len() == 0 && (v.Kind() == document.List || v.Kind() == document.Object) {
		return v
	}
	if c.kind != nil {
		if t := c.kind.Type().At(path); t != nil && (t.Scalar != schema.StringScalar || isPointer(c.kind.Type(), path)) {
			return document.NewNull()
		}
	}
	return document.NewString("")
}

// isPointer reports whether the field at a path below type t is a pointer in Go.
func isPointer(t *schema.Type, path document.Path) bool {
	last := len(path) - 1
	name, ok := path[last].Name()
	if !ok {
		return false
	}
	f := t.At(path[:last]).Map.Field(name)
	return f != nil && f.Go&schema.GoPointer != 0
}

// orNull returns null for an absent value, for fields that are pointers or lists in Go.
func orNull(v document.Value) document.Value {
	if !v.Exists() {
		return document.NewNull()
	}
	return v
}

func showsValue(t schema.ErrorType) bool {
	switch t {
	case schema.ErrorRequired, schema.ErrorForbidden, schema.ErrorTooLong, schema.ErrorInternal:
		return false
	}
	return true
}
