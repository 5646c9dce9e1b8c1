package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// junctors validates anyOf, oneOf, allOf and not.
func (c *validator) junctors(r *schema.Validation, v document.Value) {
	if len(r.AnyOf) > 0 {
		if n, failed := count(r.AnyOf, v, 1); n == 0 {
			c.addWorded(quoted, "must validate at least one schema (anyOf)")
			c.errs = append(c.errs, failed...)
		}
	}
	if len(r.OneOf) > 0 {
		switch n, failed := count(r.OneOf, v, len(r.OneOf)); {
		case n == 0:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found none valid")
			c.errs = append(c.errs, failed...)
		case n > 1:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found "+decimal(int64(n))+" valid alternatives")
		}
	}
	start := len(c.errs)
	for _, j := range r.AllOf {
		c.junctor(j, v)
	}
	if len(c.errs) > start {
		c.addWorded(quoted, "must validate all the schemas (allOf)")
	}
	if r.Not != nil {
		if n, _ := count([]*schema.Junctor{r.Not}, v, 1); n > 0 {
			c.addWorded(quoted, "must not validate the schema (not)")
		}
	}
}

// count returns how many alternatives are valid, at most enough. If none is, it also
// returns the errors of the alternative with the fewest.
func count(alternatives []*schema.Junctor, v document.Value, enough int) (n int, failed []finding) {
	for _, j := range alternatives {
		var c validator
		c.junctor(j, v)
		if len(c.errs) == 0 {
			if n++; n == enough {
				return n, nil
			}
		} else if failed == nil || len(c.errs) < len(failed) {
			failed = c.errs
		}
	}
	return n, failed
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
	c.format(s, j.Format, v)
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
