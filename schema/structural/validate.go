package structural

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options say how Validate validates.
type Options struct {
	// Old is the object before an update, absent on create. What is as it was is
	// not an error again (ratcheting, Kubernetes 1.33): a value that equals its
	// old one, and lists with duplicates where the old object had any.
	Old document.Value
	// Metadata validates the metadata of an object embedded in the object
	// (x-kubernetes-embedded-resource). Paths count from the metadata. With nil
	// it is not looked at.
	Metadata func(metadata document.Value) []schema.FieldError
}

// Validate says what is wrong with the object v by the rules of t, in this order:
//
//  1. type, allOf, anyOf, oneOf, not, enum, format, lengths, patterns, ranges and
//     required members, as JSON schema has them;
//  2. apiVersion, kind and metadata of embedded objects;
//  3. items of sets and keyed lists that are there twice.
//
// Metadata of v itself is only validated as far as the schema says something of
// it. Rules in CEL are not evaluated.
func Validate(t *schema.Type, v document.Value, o Options) []schema.FieldError {
	var c validator
	c.value(t, v, o.Old)
	c.embedded(t, v, true, o.Metadata)
	start := len(c.errs)
	c.uniqueness(t, v)
	if len(c.errs) > start && o.Old.Exists() {
		var before validator
		if before.uniqueness(t, o.Old); len(before.errs) > 0 {
			c.errs = c.errs[:start]
		}
	}
	return c.finish()
}

// A validator gathers what is wrong. Paths grow from their end: each level adds
// its step to what was found below it, so that nothing is allocated for what is
// right.
type validator struct{ errs []finding }

type finding struct {
	schema.FieldError
	// inBody: the detail is to be begun with the path, as kube-openapi's
	// messages are: `spec.a in body must be of type integer: "string"`.
	inBody bool
}

func (c *validator) add(t schema.ErrorType, bad document.Value, detail string) {
	c.errs = append(c.errs, finding{FieldError: schema.FieldError{Type: t, BadValue: bad, Detail: detail}})
}

// addInBody adds an error whose detail is to be begun with the path.
func (c *validator) addInBody(t schema.ErrorType, bad document.Value, detail string) {
	c.errs = append(c.errs, finding{schema.FieldError{Type: t, BadValue: bad, Detail: detail}, true})
}

// addAt adds an error on a member.
func (c *validator) addAt(key string, t schema.ErrorType, bad document.Value, detail string) {
	start := len(c.errs)
	c.add(t, bad, detail)
	c.below(start, document.Step{Key: key, Index: -1})
}

func (c *validator) below(start int, step document.Step) {
	for i := start; i < len(c.errs); i++ {
		c.errs[i].Path = append(c.errs[i].Path, step)
	}
}

func (c *validator) finish() []schema.FieldError {
	if len(c.errs) == 0 {
		return nil
	}
	out := make([]schema.FieldError, len(c.errs))
	for i, f := range c.errs {
		path := f.Path
		for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
			path[i], path[j] = path[j], path[i]
		}
		f.Field = schema.FieldText(path)
		if f.inBody {
			f.Detail = strings.TrimPrefix(f.Field, "<nil>") + " in body " + f.Detail
		}
		out[i] = f.FieldError
	}
	return out
}

// value validates by JSON schema. old is the value that v took the place of,
// absent where there is none.
func (c *validator) value(t *schema.Type, v, old document.Value) {
	if t == nil {
		return
	}
	start := len(c.errs)
	c.typeOf(t, v)
	if t.Validation != nil {
		c.rules(t.Validation, t.Scalar, t.Format, v, old)
	}
	c.format(t.Scalar, t.Format, v)
	c.children(t, v, old)
	if len(c.errs) > start && old.Exists() && document.Identical(v, old) {
		c.errs = c.errs[:start]
	}
}

func (c *validator) children(t *schema.Type, v, old document.Value) {
	switch v.Kind() {
	case document.Object:
		if t.Map != nil {
			c.members(t.Map, v, old)
		}
	case document.List:
		if t.List == nil || t.List.Elem == schema.Untyped() {
			return
		}
		match := correlate(t.List, v, old)
		for i, item := range v.Items() {
			start := len(c.errs)
			c.value(t.List.Elem, item, match.old(item))
			c.below(start, document.Step{Index: i})
		}
	}
}

func (c *validator) members(m *schema.MapType, v, old document.Value) {
	for i := range v.Len() {
		key := v.Key(i)
		t := m.Elem
		if f := ownField(m, key); f != nil {
			t = f.Type
		} else if m.Object && isMeta(key) || t == schema.Deduced() {
			continue
		}
		start := len(c.errs)
		c.value(t, v.At(i), old.Get(key))
		c.below(start, document.Step{Key: key, Index: -1})
	}
	for _, name := range m.Required {
		if _, found := v.Find(name); !found {
			c.addAt(name, schema.ErrorRequired, document.Value{}, "")
		}
	}
}

// typeOf checks that v is of one of the kinds that t allows.
func (c *validator) typeOf(t *schema.Type, v document.Value) {
	if t.Scalar == schema.AnyScalar && t.List != nil && t.Map != nil {
		return
	}
	is := kindName(v)
	if v.IsNull() {
		if !t.Nullable {
			c.wrongType(wanted(t), is)
		}
		return
	}
	format := supportedFormat(t.Scalar, t.Format)
	switch {
	case allows(t, v):
	case format != "" && t.Scalar == schema.StringScalar && v.Kind() == document.List:
		// kube-openapi takes a list for a string with a format
	case format != "" && v.Kind() != document.String && v.Kind() != document.List:
		c.wrongType(format, goFormat(v))
	default:
		c.wrongType(wanted(t), is)
	}
}

func (c *validator) wrongType(want, is string) {
	c.addInBody(schema.ErrorTypeInvalid, document.NewString(is), "must be of type "+want+": "+string(document.AppendQuoted(nil, is)))
}

// allows reports whether v's kind is one that t allows. 2.0 is an integer, and an
// integer a number.
func allows(t *schema.Type, v document.Value) bool {
	switch v.Kind() {
	case document.Object:
		return t.Map != nil && t.Scalar != schema.IntOrStringScalar
	case document.List:
		return t.List != nil && t.Scalar != schema.IntOrStringScalar
	}
	return scalarAllows(t.Scalar, v)
}

func scalarAllows(s schema.Scalar, v document.Value) bool {
	switch s {
	case schema.StringScalar:
		return v.Kind() == document.String
	case schema.BooleanScalar:
		return v.Kind() == document.Bool
	case schema.NumberScalar:
		return v.Kind() == document.Number
	case schema.IntegerScalar:
		return wholeNumber(v)
	case schema.IntOrStringScalar:
		return v.Kind() == document.String || wholeNumber(v)
	case schema.AnyScalar:
		return v.Kind() != document.Object && v.Kind() != document.List
	}
	return false
}

// wanted names the types that t allows as messages do.
func wanted(t *schema.Type) string {
	switch {
	case t.Scalar == schema.IntOrStringScalar:
		return "integer,string"
	case t.Map != nil:
		return "object"
	case t.List != nil:
		return "array"
	}
	return scalarName(t.Scalar)
}

func scalarName(s schema.Scalar) string {
	switch s {
	case schema.StringScalar:
		return "string"
	case schema.IntegerScalar:
		return "integer"
	case schema.NumberScalar:
		return "number"
	case schema.BooleanScalar:
		return "boolean"
	}
	return ""
}

// kindName names the kind of a value as JSON schema does.
func kindName(v document.Value) string {
	switch v.Kind() {
	case document.List:
		return "array"
	case document.Number:
		if v.IsInt() {
			return "integer"
		}
	}
	return v.Kind().String()
}

// goFormat is the format that kube-openapi finds in a Go value.
func goFormat(v document.Value) string {
	switch {
	case v.IsInt():
		return "int64"
	case v.Kind() == document.Number:
		return "float64"
	}
	return ""
}
