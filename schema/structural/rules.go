package structural

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// rules validates a value against the JSON Schema keywords other than type, in kube-openapi's order. r may be nil.
func (c *validator) rules(r *schema.Validation, s schema.Scalar, format string, v document.Value) {
	if r == nil {
		c.format(s, format, v)
		return
	}
	if v.IsNull() {
		c.enum(r, v)
		return // null is checked against type and enum only
	}
	c.junctors(r, v)
	switch v.Kind() {
	case document.String:
		c.text(r, v)
		c.format(s, format, v)
	case document.Number:
		c.format(s, format, v)
		c.number(r, s, c.supportedFormat(s, format), v)
	case document.List:
		c.items(r, v)
	}
	c.enum(r, v)
	if v.Kind() == document.Object {
		n := int64(v.Len())
		if r.MinProperties != nil && n < *r.MinProperties {
			c.addInBody(schema.ErrorInvalid, document.NewInt(n), "should have at least "+decimal(*r.MinProperties)+" properties")
		}
		if r.MaxProperties != nil && n > *r.MaxProperties {
			c.tooMany(n, *r.MaxProperties)
		}
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// plural returns a noun in the form for n things.
func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// numeral formats a limit for comparison with v: as an integer if v is one.
func numeral(v document.Value, limit float64) string {
	if v.IsInt() {
		return decimal(int64(limit))
	}
	return strconv.FormatFloat(limit, 'g', -1, 64)
}

func (c *validator) tooMany(n, most int64) {
	c.add(schema.ErrorTooMany, document.NewInt(n), "must have at most "+decimal(most)+plural(most, " item"))
}

// enum validates that the value is listed. Null is never valid, even if listed.
func (c *validator) enum(r *schema.Validation, v document.Value) {
	if len(r.Enum) == 0 {
		return
	}
	for _, e := range r.EnumCandidates(v) {
		if !v.IsNull() && (document.Equal(e, v) || converts(v, e)) {
			return
		}
	}
	if c.enumeration != r {
		allowed := make([]string, 0, 8)
		for _, e := range r.EnumValues() {
			text := e.StringOr(e.String())
			allowed = append(allowed, strconv.Quote(text))
		}
		c.enumeration, c.supported = r, "supported values: "+strings.Join(allowed, ", ")
	}
	c.add(schema.ErrorNotSupported, v, c.supported)
}

// converts reports whether a value becomes a listed one when Go converts it to its type, as kube-openapi does: a
// fraction is cut off, and an integer is the number of a character.
func converts(v, listed document.Value) bool {
	if i, ok := listed.Int(); ok && v.Kind() == document.Number && !v.IsInt() {
		f, _ := v.Float()
		return math.Trunc(f) == float64(i)
	}
	text, ok := listed.Text()
	i, number := v.Int()
	return ok && number && i >= 0 && i <= utf8.MaxRune && text == string(rune(i))
}

func (c *validator) text(r *schema.Validation, v document.Value) {
	text, _ := v.Text()
	if r.MaxLength != nil || r.MinLength != nil {
		n := int64(utf8.RuneCountInString(text))
		if r.MaxLength != nil && n > *r.MaxLength {
			c.add(schema.ErrorTooLong, document.Value{}, "may not be more than "+decimal(*r.MaxLength)+plural(*r.MaxLength, " byte"))
			return
		}
		if r.MinLength != nil && n < *r.MinLength {
			c.addInBody(schema.ErrorInvalid, v, "should be at least "+decimal(*r.MinLength)+" chars long")
			return
		}
	}
	if r.Pattern != "" && !r.MatchesPattern(text) {
		c.addInBody(schema.ErrorInvalid, v, "should match '"+r.Pattern+"'")
	}
}

func (c *validator) items(r *schema.Validation, v document.Value) {
	n := int64(v.Len())
	if r.MinItems != nil && n < *r.MinItems {
		c.addInBody(schema.ErrorInvalid, document.NewInt(n), "should have at least "+decimal(*r.MinItems)+" items")
	}
	if r.MaxItems != nil && n > *r.MaxItems {
		c.tooMany(n, *r.MaxItems)
	}
	if r.UniqueItems && len(duplicates(listItems(v))) > 0 {
		c.addInBody(schema.ErrorInvalid, document.NewString(""), "shouldn't contain duplicates")
	}
}

// number validates ranges. Limits for integers are truncated, and a limit outside the range
// of the type makes every value invalid, as in kube-openapi.
func (c *validator) number(r *schema.Validation, s schema.Scalar, format string, v document.Value) {
	if r.MultipleOf != nil && c.limit("MultipleOf", *r.MultipleOf, s, format) {
		c.multipleOf(*r.MultipleOf, v)
	}
	if r.Minimum != nil && c.limit("Minimum boundary", *r.Minimum, s, format) {
		switch order := compare(v, *r.Minimum); {
		case r.ExclusiveMinimum && order <= 0:
			c.addInBody(schema.ErrorInvalid, v, "should be greater than "+numeral(v, *r.Minimum))
		case order < 0:
			c.addInBody(schema.ErrorInvalid, v, "should be greater than or equal to "+numeral(v, *r.Minimum))
		}
	}
	if r.Maximum != nil && c.limit("Maximum boundary", *r.Maximum, s, format) {
		switch order := compare(v, *r.Maximum); {
		case r.ExclusiveMaximum && order >= 0:
			c.addInBody(schema.ErrorInvalid, v, "should be less than "+numeral(v, *r.Maximum))
		case order > 0:
			c.addInBody(schema.ErrorInvalid, v, "should be less than or equal to "+numeral(v, *r.Maximum))
		}
	}
}

func (c *validator) limit(what string, f float64, s schema.Scalar, format string) bool {
	if c.inRange(f, s, format) {
		return true
	}
	c.outOfRange(what, s, format)
	return false
}

// compare compares a number with a limit.
func compare(v document.Value, limit float64) int {
	if i, ok := v.Int(); ok {
		return cmp.Compare(i, int64(limit))
	}
	f, _ := v.Float()
	return cmp.Compare(f, limit)
}

// multipleOf validates that a number is a multiple of a factor, which for integers loses its
// fraction: no integer is a multiple of 0.5.
func (c *validator) multipleOf(factor float64, v document.Value) {
	if v.IsInt() {
		factor = math.Trunc(factor)
	}
	switch {
	case factor <= 0:
		text := numeral(v, factor)
		c.put(finding{FieldError: schema.FieldError{Type: schema.ErrorInvalid, BadValue: document.NewFloat(factor), Detail: text}, wording: ofFactor})
	case !multiple(v, factor):
		c.addInBody(schema.ErrorInvalid, v, "should be a multiple of "+numeral(v, factor))
	}
}

func multiple(v document.Value, factor float64) bool {
	if i, ok := v.Int(); ok {
		return i%int64(factor) == 0
	}
	data, _ := v.Float()
	if factor < 1 {
		return whole(1 / factor * data)
	}
	return whole(data / factor)
}

// whole reports whether a float is an integer: within JSON's safe integer range and up to a
// rounding error.
func whole(f float64) bool {
	const limit, epsilon = 1<<53 - 1, 1e-9
	if math.IsNaN(f) || f < -limit || f > limit {
		return false
	}
	near := math.Trunc(f)
	off := math.Abs(f - near)
	return off == 0 || near != 0 && off/(math.Abs(f)+math.Abs(near)) < epsilon
}

// wholeNumber reports whether a value is an integer; 2.0 is.
func wholeNumber(v document.Value) bool {
	if v.Kind() != document.Number {
		return false
	}
	if v.IsInt() {
		return true
	}
	f, ok := v.Float()
	return ok && whole(f)
}

// format validates a scalar against its format.
func (c *validator) format(s schema.Scalar, format string, v document.Value) {
	switch v.Kind() {
	case document.String:
		if format == "" {
			return
		}
		if f := c.supportedFormat(s, format); f != "" && s != schema.IntegerScalar && s != schema.NumberScalar {
			text, _ := v.Text()
			if !matchesFormat(f, text) {
				c.addInBody(schema.ErrorTypeInvalid, v, "must be of type "+format+": "+strconv.Quote(text))
			}
		}
	case document.Number:
		if s != schema.IntegerScalar && s != schema.NumberScalar {
			return
		}
		f := c.supportedFormat(s, format)
		if i, ok := v.Int(); ok && s == schema.IntegerScalar && (f != "int32" || int64(int32(i)) == i) {
			return
		}
		data, _ := v.Float()
		if !c.inRange(data, s, f) {
			c.outOfRange("Checked", s, f)
		}
	}
}

func (c *validator) outOfRange(what string, s schema.Scalar, format string) {
	form := " (default format)"
	if format != "" {
		form = " with format " + format
	}
	c.addWorded(inPath, what+" value must be of type "+scalarName(s)+form)
}

// inRange reports whether a number fits its type and format. Before 1.36 every number does: the validator of numbers
// received neither.
func (c *validator) inRange(f float64, s schema.Scalar, format string) bool {
	switch {
	case !c.catalog.Since("1.36"):
		return true
	case s == schema.IntegerScalar && format == "int32":
		return f == math.Trunc(f) && f >= math.MinInt32 && f <= math.MaxInt32
	case s == schema.IntegerScalar:
		return f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64
	case s == schema.NumberScalar && format == "float":
		return !math.IsInf(float64(float32(f)), 0)
	}
	return true
}
