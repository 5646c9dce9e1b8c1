package structural

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options configures Validate.
type Options struct {
	// Old is the object before an update; absent on create. Errors in unchanged values are
	// ignored (ratcheting, Kubernetes 1.33), as are duplicates in lists whose old version
	// has duplicates too.
	Old document.Value
	// Valid is an object that is valid by t, usually the object before an update if it is
	// known to be valid. Parts that it shares with the object are skipped.
	Valid document.Value
	// Below is the name of the part written alone, such as "status". As in kube-apiserver,
	// only this part is validated by the schema, field paths in the details of errors begin
	// there, and embedded objects are not validated.
	Below string
	// Metadata validates the metadata of an embedded object
	// (x-kubernetes-embedded-resource). Paths begin at the metadata; a Field is appended to
	// the path of the metadata ("labels", "[0].x"). If it is nil, this metadata is not
	// validated.
	Metadata func(metadata document.Value) []schema.FieldError
	// Catalog is that of the Kubernetes version whose formats apply; nil for schema.DefaultVersion.
	Catalog *schema.Catalog
}

// Validate returns the errors of the object v by the rules of t, in this order:
//
//  1. type, allOf, anyOf, oneOf, not, enum, format, lengths, patterns, ranges and
//     required members, as defined by JSON Schema;
//  2. apiVersion, kind and metadata of embedded objects;
//  3. duplicate items in sets and keyed lists.
//
// The metadata of v itself is validated only as far as the schema declares it. CEL rules
// are not evaluated.
func Validate(t *schema.Type, v document.Value, o Options) []schema.FieldError {
	errs, _ := ValidateUpdate(t, v, o)
	return errs
}

// ValidateUpdate is Validate that also reports whether the whole object is valid. It is not
// valid if it has errors that are ignored because the value is unchanged from o.Old.
func ValidateUpdate(t *schema.Type, v document.Value, o Options) (errs []schema.FieldError, valid bool) {
	c := validator{part: o.Below, catalog: o.Catalog}
	c.root(t, v, document.Value{}, o.Valid)
	valid = len(c.errs) == 0
	if o.Old.Exists() && len(c.errs) > 0 {
		// Old values are correlated only if there are errors.
		c = validator{part: o.Below, catalog: o.Catalog}
		c.root(t, v, o.Old, document.Value{})
	}
	c.ofSchema = len(c.errs)
	if o.Below == "" {
		c.embedded(t, v, o.Valid, true, o.Metadata)
	}
	start := len(c.errs)
	c.uniqueness(t, v, o.Valid)
	valid = valid && len(c.errs) == 0
	if len(c.errs) > start && o.Old.Exists() {
		var before validator
		if before.uniqueness(t, o.Old, document.Value{}); len(before.errs) > 0 {
			c.cut(start)
		}
	}
	return c.finish(), valid
}

// A validator collects errors. Paths are built from the end: each level appends its step to
// those found below it, so that valid values need no allocation.
type validator struct {
	errs []finding
	// size is that of errs in bytes.
	size int
	// catalog is Options.Catalog.
	catalog *schema.Catalog
	// part is Options.Below, and partType the type of that part.
	part     string
	partType *schema.Type
	// anyIntOrString accepts any type for an int-or-string, as kube-apiserver does in defaults.
	anyIntOrString bool
	// ofSchema is the number of errors that the schema has found, before those of embedded objects
	// and of lists.
	ofSchema int
	// detailed is the size of the details of errs in bytes.
	detailed int
	// supported is the detail for values that enumeration does not list, the last one that refused a value.
	enumeration *schema.Validation
	supported   string
}

// Details over maxDetails bytes in all are cut to maxDetail: each item of a list may have an error that
// shows a long enumeration or pattern.
const (
	maxDetails = 1 << 20
	maxDetail  = 100
)

// brief returns a detail, or its beginning if there are many already.
func (c *validator) brief(detail string) string {
	if c.detailed > maxDetails && len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	c.detailed += len(detail)
	return detail
}

type finding struct {
	schema.FieldError
	wording
	behind  string // appended to the path
	mapKeys []int  // steps to map keys, which are printed as [key], counted from the path's end
}

// rootField is the Field of an error in the whole object.
const rootField = "<nil>"

// wording is the place of the path in an error's detail, as in kube-openapi.
// apiextensions-apiserver reports errors with the wordings inPath and quoted for the whole
// object (ValidateCustomResource); their Path is still that of the value.
type wording uint8

const (
	asIs     wording = iota
	inBody           // spec.a in body must be of type integer: "string"
	ofMember         // spec.a in body is a forbidden property, an error of spec
	inPath           // Checked value must be of type integer with format int32 in spec.a
	quoted           // "spec.a" must not validate the schema (not)
	ofFactor         // factor MultipleOf declared for spec.a must be positive: 0
)

// findingSize is the size of an error without its path. Members that each have an error can be a hundred thousand, deep in an
// object, and each schema of a junctor can report all of them.
const findingSize = 256

func (f *finding) size() int {
	size := findingSize
	for _, step := range f.Path {
		size += sizeOf(step)
	}
	return size
}

func sizeOf(step document.Step) int {
	name, _ := step.Name()
	return stepSize + len(name)
}

// put adds errors, unless there are as many as maxPaths allows.
func (c *validator) put(found ...finding) {
	for i := range found {
		if c.size > maxPaths && len(c.errs) > 0 {
			return
		}
		c.size += found[i].size()
		c.errs = append(c.errs, found[i])
	}
}

// cut removes the errors from an index on.
func (c *validator) cut(from int) {
	for i := from; i < len(c.errs); i++ {
		c.size -= c.errs[i].size()
	}
	c.errs = c.errs[:from]
}

func (c *validator) add(t schema.ErrorType, bad document.Value, detail string) {
	c.put(finding{FieldError: schema.FieldError{Type: t, BadValue: bad, Detail: c.brief(detail)}})
}

// addInBody adds an error whose detail begins with the path.
func (c *validator) addInBody(t schema.ErrorType, bad document.Value, detail string) {
	c.put(finding{FieldError: schema.FieldError{Type: t, BadValue: bad, Detail: c.brief(detail)}, wording: inBody})
}

// addWorded adds an error without a value.
func (c *validator) addWorded(w wording, detail string) {
	c.put(finding{FieldError: schema.FieldError{Type: schema.ErrorInvalid, BadValue: document.NewString(""), Detail: c.brief(detail)}, wording: w})
}

// addAt adds an error in a member.
func (c *validator) addAt(key string, t schema.ErrorType, bad document.Value, detail string) {
	start := len(c.errs)
	c.add(t, bad, detail)
	c.below(start, document.FieldStep(key))
}

// below adds a step to the paths of the errors from start on. If the paths become too long, the first half of these errors
// remains, and thus at least one.
func (c *validator) below(start int, step document.Step) {
	if n := len(c.errs) - start; n > 1 && c.size > maxPaths {
		c.cut(start + n/2)
	}
	c.size += (len(c.errs) - start) * sizeOf(step)
	for i := start; i < len(c.errs); i++ {
		c.errs[i].Path = append(c.errs[i].Path, step)
	}
}

// belowMember is below for a member in errors of embedded objects and lists, which print
// undeclared names as map keys.
func (c *validator) belowMember(start int, t *schema.Type, key string) {
	if ownField(t.Map, key) == nil {
		for i := start; i < len(c.errs); i++ {
			c.errs[i].mapKeys = append(c.errs[i].mapKeys, len(c.errs[i].Path))
		}
	}
	c.below(start, document.FieldStep(key))
}

// finish returns the errors. Those of the schema are reported once, as by kube-openapi, which compares
// their texts: anyOf, oneOf and allOf often repeat a rule.
func (c *validator) finish() []schema.FieldError {
	if len(c.errs) == 0 {
		return nil
	}
	out := make([]schema.FieldError, 0, len(c.errs))
	type message struct {
		of            schema.ErrorType
		field, detail string
	}
	seen := map[message]bool{}
	for i, f := range c.errs {
		slices.Reverse(f.Path)
		f.Field = f.fieldText() + f.behind
		text, whole := c.within(f.Field)
		if c.inMap(f.Path) {
			text = "." + text
		}
		switch f.wording {
		case inBody:
			f.Detail = text + " in body " + f.Detail
		case ofMember:
			f.Detail = strings.TrimPrefix(text+"."+f.Detail, ".")
		case inPath:
			f.Detail, f.Field = f.Detail+" in "+text, whole
		case ofFactor:
			f.Detail = "factor MultipleOf declared for " + text + " must be positive: " + f.Detail
		case quoted:
			f.Detail, f.Field = string(document.AppendQuoted(nil, text))+" "+f.Detail, whole
		}
		if i < c.ofSchema {
			m := message{f.Type, f.Field, f.Detail}
			if seen[m] {
				continue
			}
			seen[m] = true
		}
		out = append(out, f.FieldError)
	}
	return out
}

// within returns the field as printed in details, and the field of the whole object.
func (c *validator) within(field string) (text, whole string) {
	rest, found := strings.CutPrefix(field, c.part)
	switch {
	case c.part == "" || !found || rest != "" && rest[0] != '.':
		return strings.TrimPrefix(field, rootField), rootField
	case rest == "":
		return "", c.part
	}
	return rest[1:], c.part
}

// inMap reports whether a path leads into a member of the part that the schema does not name.
// kube-openapi prints its path with a leading dot: .a in body must be of type string
func (c *validator) inMap(p document.Path) bool {
	if c.partType == nil || c.partType.Map == nil || len(p) < 2 {
		return false
	}
	name, ok := p[1].Name()
	return ok && ownField(c.partType.Map, name) == nil
}

// fieldText formats the path of a finding like schema.FieldText, with map keys as [key].
func (f *finding) fieldText() string {
	if len(f.mapKeys) == 0 {
		return schema.FieldText(f.Path)
	}
	text := ""
	for i, s := range f.Path {
		switch name, ok := s.Name(); {
		case !ok:
			text += s.String()
		case slices.Contains(f.mapKeys, len(f.Path)-1-i):
			text += "[" + name + "]"
		case text == "":
			text = name
		default:
			text += "." + name
		}
	}
	return text
}

// root validates the whole object, or the part written alone. apiVersion and kind are not
// compared with the old object, which may have another version.
func (c *validator) root(t *schema.Type, v, old, valid document.Value) {
	if c.part == "" {
		c.value(t, v, old.Without("apiVersion").Without("kind"), valid)
		return
	}
	if part := v.Get(c.part); part.Exists() {
		c.partType = knownMember(t, c.part)
		c.value(c.partType, part, old.Get(c.part), valid.Get(c.part))
		c.below(0, document.FieldStep(c.part))
	}
}

// value validates the JSON Schema keywords. old is the value before the update, absent if
// there is none; valid is a value that is valid by t.
func (c *validator) value(t *schema.Type, v, old, valid document.Value) {
	if t == nil || remake.Shared(v, valid) {
		return
	}
	if t.IntOrString && !c.anyIntOrString { // the type is ignored
		either := *t
		either.Scalar, either.IntOrString = schema.IntOrStringScalar, false
		t = &either
	}
	start := len(c.errs)
	if c.typeOf(t, v); t.RepeatsTypes && len(c.errs) > start && !v.IsNull() {
		c.anyOf(intOrString, v)
	}
	c.rules(t.Validation, t.Scalar, t.Format, v)
	if !c.children(t, v, old, valid) {
		c.ratchet(start, t, v, old)
	}
}

// ratchet discards the errors found in a value since start if the value is unchanged.
func (c *validator) ratchet(start int, t *schema.Type, v, old document.Value) {
	if len(c.errs) > start && old.Exists() && unchanged(t, v, old) {
		c.cut(start)
	}
}

// children validates the members or items of a value. It reports whether the value is known to be changed, because
// one that is compared with an old one has an error: large values need not be compared at each level above it.
func (c *validator) children(t *schema.Type, v, old, valid document.Value) (changed bool) {
	switch v.Kind() {
	case document.Object:
		return t.Map != nil && c.members(t, v, old, valid)
	case document.List:
		if t.List == nil || described(t.List.Elem) == nil {
			return false
		}
		match, before := correlate(t.List, v, old), remake.EarlierOf(valid)
		from, to := before.Changed(v)
		for i := from; i < to; i++ {
			item := v.At(i)
			start := len(c.errs)
			c.value(t.List.Elem, item, match.old(item), before.Item(v, i))
			if len(c.errs) > start {
				c.below(start, document.IndexStep(i))
				changed = changed || t.List.Kind == schema.KeyedList
			}
		}
	}
	return changed
}

func (c *validator) members(t *schema.Type, v, old, valid document.Value) (changed bool) {
	before := remake.EarlierOf(valid)
	for i := range v.Len() {
		key := v.Key(i)
		known := knownMember(t, key)
		if t.Map.Closed() {
			c.put(finding{FieldError: schema.FieldError{Type: schema.ErrorInvalid, BadValue: document.NewString(key), Detail: key + " in body is a forbidden property"}, wording: ofMember})
		}
		if known == nil || surelyValid(known, v.At(i)) {
			continue
		}
		start := len(c.errs)
		c.value(known, v.At(i), old.Get(key), before.Member(key))
		if len(c.errs) > start {
			c.below(start, document.FieldStep(key))
			changed = true
		}
	}
	for _, name := range t.Map.Required {
		if _, found := v.Find(name); !found {
			c.addAt(name, schema.ErrorRequired, document.Value{}, "")
		}
	}
	return changed
}

// surelyValid reports whether a value is a string, an integer or a boolean of a type that
// has no rules but that. This is true of most scalars.
func surelyValid(t *schema.Type, v document.Value) bool {
	if t.Validation != nil || t.Format != "" || t.IntOrString {
		return false
	}
	switch t.Scalar {
	case schema.StringScalar:
		return v.Kind() == document.String
	case schema.IntegerScalar:
		return v.IsInt()
	case schema.BooleanScalar:
		return v.Kind() == document.Bool
	}
	return false
}

// typeOf validates that t allows the type of v.
func (c *validator) typeOf(t *schema.Type, v document.Value) {
	if t.Scalar == schema.AnyScalar && t.List != nil && t.Map != nil || t.Scalar == schema.IntOrStringScalar && c.anyIntOrString {
		return
	}
	if !v.IsNull() && allows(t, v) {
		return
	}
	is := kindName(v)
	if v.IsNull() {
		if !t.Nullable {
			c.wrongType(wanted(t), is)
		}
		return
	}
	format := c.supportedFormat(t.Scalar, t.Format)
	switch {
	case format != "" && t.Scalar == schema.StringScalar && v.Kind() == document.List:
		// kube-openapi accepts a list for a string with a format
	case format != "" && v.Kind() != document.String && v.Kind() != document.List:
		c.wrongType(t.Format, goFormat(v))
	default:
		c.wrongType(wanted(t), is)
	}
}

func (c *validator) wrongType(want, is string) {
	c.addInBody(schema.ErrorTypeInvalid, document.NewString(is), "must be of type "+want+": "+string(document.AppendQuoted(nil, is)))
}

// allows reports whether t allows the type of v. 2.0 is an integer, and an integer is a
// number.
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

// wanted returns the types that t allows, for messages.
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

// kindName returns the JSON Schema type of a value.
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

// goFormat returns the format that kube-openapi derives from a Go value.
func goFormat(v document.Value) string {
	switch {
	case v.IsInt():
		return "int64"
	case v.Kind() == document.Number:
		return "float64"
	}
	return ""
}

// knownMember returns the declared type of a member; nil if there is none.
func knownMember(t *schema.Type, key string) *schema.Type {
	if t == nil || t.Map == nil {
		return nil
	}
	if f := ownField(t.Map, key); f != nil {
		return f.Type
	}
	if t.Map.Object && isMeta(key) {
		return nil
	}
	return described(t.Map.Elem)
}
