package schema

import (
	"regexp"
	"strconv"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// lazyPattern is a regular expression that is compiled on first use.
type lazyPattern struct {
	once sync.Once
	re   *regexp.Regexp
}

// MatchesPattern reports whether Pattern matches anywhere in a text. An invalid regular
// expression matches nothing.
func (v *Validation) MatchesPattern(text string) bool {
	p := v.pattern
	if p == nil {
		p = &lazyPattern{}
	}
	p.once.Do(func() { p.re, _ = regexp.Compile(v.Pattern) })
	return p.re != nil && p.re.MatchString(text)
}

// EnumValues returns Enum in parsed form.
func (v *Validation) EnumValues() []document.Value {
	if len(v.enum) == len(v.Enum) {
		return v.enum
	}
	var out []document.Value
	for _, text := range v.Enum {
		out = append(out, ParseDefault(text))
	}
	return out
}

// longEnum is the number of values from which an enumeration has an index. Each item of a long list may be compared with it.
const longEnum = 32

// enumIndex is the index of an enumeration.
type enumIndex struct {
	values map[string]document.Value // strings and integers by their keys
	rest   []document.Value
}

func newEnumIndex(values []document.Value) *enumIndex {
	index := &enumIndex{values: make(map[string]document.Value, len(values))}
	for _, e := range values {
		if key := enumKey(e); key != "" {
			index.values[key] = e
		} else {
			index.rest = append(index.rest, e)
		}
	}
	return index
}

// enumKey returns the key of a string or an integer, which is the same for equal ones; "" for other values.
func enumKey(v document.Value) string {
	if text, ok := v.Text(); ok {
		return `"` + text
	}
	if i, ok := v.Int(); ok && v.IsInt() {
		return strconv.FormatInt(i, 10)
	}
	return ""
}

// EnumCandidates returns values of Enum, among them all that can equal x, or with which it can be equal once converted to
// their type: a fraction to any integer, and an integer to the text of a character.
func (v *Validation) EnumCandidates(x document.Value) []document.Value {
	key := enumKey(x)
	if v.index == nil || x.Kind() == document.Number && key == "" {
		return v.EnumValues()
	}
	candidates := v.index.rest[:len(v.index.rest):len(v.index.rest)]
	if e, ok := v.index.values[key]; ok {
		candidates = append(candidates, e)
	}
	if i, ok := x.Int(); ok {
		if e, ok := v.index.values[`"`+string(rune(i))]; ok {
			candidates = append(candidates, e)
		}
	}
	return candidates
}

// validation reads the validation keywords of a schema; nil if it has none. repeats reports
// whether the anyOf of an int-or-string repeats the two types; it is then omitted, because most
// values have one of them.
func (c *converter) validation(s document.Value, repeats bool) *Validation {
	v, some := c.validationOf(s)
	if repeats {
		v.AnyOf = nil
		some = v.hasRules()
	}
	if !some {
		return nil
	}
	return &v
}

func (c *converter) validationOf(s document.Value) (Validation, bool) {
	v := Validation{
		Pattern:          s.Get("pattern").StringOr(""),
		Minimum:          float(s, "minimum"),
		Maximum:          float(s, "maximum"),
		MultipleOf:       float(s, "multipleOf"),
		ExclusiveMinimum: flag(s, "exclusiveMinimum"),
		ExclusiveMaximum: flag(s, "exclusiveMaximum"),
		MinLength:        integer(s, "minLength"),
		MaxLength:        integer(s, "maxLength"),
		MinItems:         integer(s, "minItems"),
		MaxItems:         integer(s, "maxItems"),
		MinProperties:    integer(s, "minProperties"),
		MaxProperties:    integer(s, "maxProperties"),
		UniqueItems:      flag(s, "uniqueItems"),
		AllOf:            c.junctors(s.Get("allOf")),
		AnyOf:            c.junctors(s.Get("anyOf")),
		OneOf:            c.junctors(s.Get("oneOf")),
		Not:              c.junctor(s.Get("not")),
	}
	for _, e := range s.Get("enum").Items() {
		v.Enum = append(v.Enum, string(e.AppendJSON(nil)))
		v.enum = append(v.enum, e)
	}
	if len(v.enum) >= longEnum {
		v.index = newEnumIndex(v.enum)
	}
	if v.Pattern != "" {
		v.pattern = &lazyPattern{}
	}
	for _, r := range s.Get("x-kubernetes-validations").Items() {
		v.Rules = append(v.Rules, Rule{
			Rule:              r.Get("rule").StringOr(""),
			Message:           r.Get("message").StringOr(""),
			MessageExpression: r.Get("messageExpression").StringOr(""),
			Reason:            r.Get("reason").StringOr(""),
			FieldPath:         r.Get("fieldPath").StringOr(""),
		})
	}
	return v, v.hasRules()
}

// hasRules reports whether the validation has any rule.
func (v *Validation) hasRules() bool {
	return len(v.Enum) > 0 || v.Pattern != "" || v.Minimum != nil || v.Maximum != nil || v.MultipleOf != nil ||
		v.MinLength != nil || v.MaxLength != nil || v.MinItems != nil || v.MaxItems != nil ||
		v.MinProperties != nil || v.MaxProperties != nil || v.UniqueItems ||
		len(v.AllOf) > 0 || len(v.AnyOf) > 0 || len(v.OneOf) > 0 || v.Not != nil || len(v.Rules) > 0
}

// isIntOrString reports whether an anyOf consists of the types integer and string.
func isIntOrString(anyOf document.Value) bool {
	return anyOf.Len() == 2 &&
		anyOf.At(0).Len() == 1 && anyOf.At(0).Get("type").StringOr("") == "integer" &&
		anyOf.At(1).Len() == 1 && anyOf.At(1).Get("type").StringOr("") == "string"
}

func (c *converter) junctors(list document.Value) []*Junctor {
	var out []*Junctor
	for _, s := range list.Items() {
		out = append(out, c.junctor(s))
	}
	return out
}

func (c *converter) junctor(s document.Value) *Junctor {
	if s.Kind() != document.Object {
		return nil
	}
	v, _ := c.validationOf(s)
	j := &Junctor{
		Type:       s.Get("type").StringOr(""),
		Format:     s.Get("format").StringOr(""),
		Validation: v,
		Items:      c.junctor(s.Get("items")),
	}
	for _, r := range s.Get("required").Items() {
		j.Required = append(j.Required, r.StringOr(""))
	}
	for name, p := range s.Get("properties").Members() {
		if j.Properties == nil {
			j.Properties = map[string]*Junctor{}
		}
		j.Properties[name] = c.junctor(p)
	}
	return j
}

func float(s document.Value, name string) *float64 {
	if f, ok := s.Get(name).Float(); ok {
		return &f
	}
	return nil
}

func integer(s document.Value, name string) *int64 {
	if f, ok := s.Get(name).Float(); ok {
		i := int64(f)
		return &i
	}
	return nil
}
