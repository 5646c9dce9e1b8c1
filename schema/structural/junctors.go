package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// junctors validates anyOf, oneOf, allOf and not.
func (c *validator) junctors(r *schema.Validation, v document.Value) {
	c.anyOf(r.AnyOf, v)
	if len(r.OneOf) > 0 {
		switch n, failed := c.count(r.OneOf, v, len(r.OneOf)); {
		case n == 0:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found none valid")
			c.put(failed...)
		case n > 1:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found "+decimal(int64(n))+" valid alternatives")
		}
	}
	c.allOf(r.AllOf, v)
	if r.Not != nil {
		if n, _ := c.count([]*schema.Junctor{r.Not}, v, 1); n > 0 {
			c.addWorded(quoted, "must not validate the schema (not)")
		}
	}
}

// intOrString is the anyOf that repeats the types of an int-or-string.
var intOrString = []*schema.Junctor{{Type: "integer"}, {Type: "string"}}

func (c *validator) anyOf(alternatives []*schema.Junctor, v document.Value) {
	if len(alternatives) == 0 {
		return
	}
	if n, failed := c.count(alternatives, v, 1); n == 0 {
		c.addWorded(quoted, "must validate at least one schema (anyOf)")
		c.put(failed...)
	}
}

func (c *validator) allOf(all []*schema.Junctor, v document.Value) {
	failed := 0
	for _, j := range all {
		start := len(c.errs)
		if c.junctor(j, v); len(c.errs) > start {
			failed++
		}
	}
	switch failed {
	case 0:
	case len(all):
		c.addWorded(quoted, "must validate all the schemas (allOf). None validated")
	default:
		c.addWorded(quoted, "must validate all the schemas (allOf)")
	}
}

// count returns how many alternatives are valid, at most enough. If none is, it also returns
// the errors of the first alternative with the most matches.
func (c *validator) count(alternatives []*schema.Junctor, v document.Value, enough int) (n int, failed []finding) {
	best := -1
	for _, j := range alternatives {
		alone := validator{catalog: c.catalog}
		if alone.junctor(j, v); len(alone.errs) == 0 {
			if n++; n == enough {
				return n, nil
			}
		} else if m := c.matches(j, v); m > best {
			best, failed = m, alone.errs
		}
	}
	return n, failed
}

// matches returns how many validators of kube-openapi apply to a value and succeed in parts
// (its Result.MatchCount). For each value those are a constant number and those of its kind,
// type and format.
func (c *validator) matches(j *schema.Junctor, v document.Value) int {
	s, given := scalarOf(j.Type)
	fits := j.Type == kindName(v) || given && scalarAllows(s, v)
	if v.IsNull() {
		if j.Type == "" {
			return 1
		}
		return 0
	}
	n := 4
	if j.Type != "" || j.Format != "" {
		n++
		if j.Type == "" || fits {
			n++
		}
	}
	switch v.Kind() {
	case document.String:
		n++
		if c.supportedFormat(schema.StringScalar, j.Format) != "" {
			n++
		}
	case document.Number:
		n++
	case document.Object:
		n++
		for name, p := range j.Properties {
			if member := v.Get(name); member.Exists() {
				n += c.matches(p, member)
			}
		}
	case document.List:
		n += 2
		if j.Items != nil {
			for _, item := range v.Items() {
				n += c.matches(j.Items, item)
			}
		}
	}
	for _, all := range j.Validation.AllOf {
		n += c.matches(all, v)
	}
	return n
}

// junctor validates a value against a schema below a junctor. There is no ratcheting here,
// like in kube-apiserver: an error in an unchanged value is reported again.
func (c *validator) junctor(j *schema.Junctor, v document.Value) {
	s, given := scalarOf(j.Type)
	switch {
	case j.Type == "" || j.Type == kindName(v):
	case given && scalarAllows(s, v):
	default:
		c.wrongType(j.Type, kindName(v))
	}
	c.rules(&j.Validation, s, j.Format, v)
	switch v.Kind() {
	case document.Object:
		for i := range v.Len() {
			if p := j.Properties[v.Key(i)]; p != nil {
				start := len(c.errs)
				c.junctor(p, v.At(i))
				c.below(start, document.FieldStep(v.Key(i)))
			}
		}
		for _, name := range j.Required {
			if _, found := v.Find(name); !found {
				c.addAt(name, schema.ErrorRequired, document.Value{}, "")
			}
		}
	case document.List:
		for i, item := range v.Items() {
			if j.Items != nil {
				start := len(c.errs)
				c.junctor(j.Items, item)
				c.below(start, document.IndexStep(i))
			}
		}
	}
}

func scalarOf(name string) (schema.Scalar, bool) {
	for s := schema.StringScalar; s <= schema.BooleanScalar; s++ {
		if scalarName(s) == name {
			return s, true
		}
	}
	return schema.AnyScalar, false
}
