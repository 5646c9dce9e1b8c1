package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// junctors checks anyOf, oneOf, allOf and not.
func (c *validator) junctors(r *schema.Validation, t *schema.Type, v, old document.Value) {
	if len(r.AnyOf) > 0 {
		if n, failed := count(r.AnyOf, t, v, old, 1); n == 0 {
			c.addWorded(quoted, "must validate at least one schema (anyOf)")
			c.errs = append(c.errs, failed...)
		}
	}
	if len(r.OneOf) > 0 {
		switch n, failed := count(r.OneOf, t, v, old, len(r.OneOf)); {
		case n == 0:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found none valid")
			c.errs = append(c.errs, failed...)
		case n > 1:
			c.addWorded(quoted, "must validate one and only one schema (oneOf). Found "+decimal(int64(n))+" valid alternatives")
		}
	}
	start := len(c.errs)
	for _, j := range r.AllOf {
		c.junctor(j, t, v, old)
	}
	if len(c.errs) > start {
		c.addWorded(quoted, "must validate all the schemas (allOf)")
	}
	if r.Not != nil {
		if n, _ := count([]*schema.Junctor{r.Not}, t, v, old, 1); n > 0 {
			c.addWorded(quoted, "must not validate the schema (not)")
		}
	}
}

// count returns how many alternatives hold, up to enough, and where none does
// what is wrong by the one that fails least.
func count(alternatives []*schema.Junctor, t *schema.Type, v, old document.Value, enough int) (n int, failed []finding) {
	for _, j := range alternatives {
		var c validator
		c.junctor(j, t, v, old)
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

// junctor checks a value against a schema that only validates; t is the type of
// the value in the structure.
func (c *validator) junctor(j *schema.Junctor, t *schema.Type, v, old document.Value) {
	s, given := scalarOf(j.Type)
	switch {
	case j.Type == "" || j.Type == kindName(v):
	case given && scalarAllows(s, v):
	default:
		c.wrongType(j.Type, kindName(v))
	}
	c.rules(&j.Validation, t, s, j.Format, v, old)
	c.format(s, j.Format, v)
	switch v.Kind() {
	case document.Object:
		c.junctorMembers(j, t, v, old)
	case document.List:
		if j.Items == nil {
			return
		}
		var match correlation
		var elem *schema.Type
		if t != nil && t.List != nil {
			elem = t.List.Elem
			match = correlate(t.List, v, old)
		}
		for i, item := range v.Items() {
			before := match.old(item)
			start := len(c.errs)
			c.junctor(j.Items, elem, item, before)
			c.ratchet(start, elem, item, before)
			c.below(start, document.Step{Index: i})
		}
	}
}

func (c *validator) junctorMembers(j *schema.Junctor, t *schema.Type, v, old document.Value) {
	for _, name := range j.Required {
		if _, found := v.Find(name); !found {
			c.addAt(name, schema.ErrorRequired, document.Value{}, "")
		}
	}
	if len(j.Properties) == 0 {
		return
	}
	for i := range v.Len() {
		key := v.Key(i)
		p := j.Properties[key]
		if p == nil {
			continue
		}
		known := knownMember(t, key)
		before := old.Get(key)
		if known == nil {
			before = document.Value{}
		}
		start := len(c.errs)
		c.junctor(p, known, v.At(i), before)
		c.ratchet(start, known, v.At(i), before)
		c.below(start, document.Step{Key: key, Index: -1})
	}
}

// knownMember returns the type of a member as the schema has it, nil for none.
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

func scalarOf(name string) (schema.Scalar, bool) {
	for s := schema.StringScalar; s <= schema.BooleanScalar; s++ {
		if scalarName(s) == name {
			return s, true
		}
	}
	return schema.AnyScalar, false
}
