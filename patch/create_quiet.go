package patch

import "github.com/patchlab-dev/patchlab/schema"

// quiet reports whether equal objects of type t always yield an empty patch, so that they
// need not be visited. They do not if t contains a map with the replace strategy or a list
// of scalars with an order directive, which are in the patch even if unchanged.
func (d *differ) quiet(t *schema.Type) bool {
	if t == nil || t.Map == nil || len(t.Map.Fields) == 0 && (t.Map.Elem == nil || !d.listTypes) {
		return true
	}
	if known, ok := d.quietTypes[t]; ok {
		return known
	}
	if d.quietTypes == nil {
		d.quietTypes = make(map[*schema.Type]bool)
	}
	d.quietTypes[t] = true // a recursive type is quiet if the rest of it is
	quiet := true
	fields := t.Map.Fields
	if d.listTypes { // map values have list types too
		fields = append(fields[:len(fields):len(fields)], schema.Field{Type: t.Map.Elem})
	}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Type == nil:
		case f.Type.Map != nil && (f.Strategy&schema.StrategyReplace != 0 || d.listTypes && f.Type.Map.Atomic):
			quiet = false
		case f.Type.Map != nil:
			quiet = quiet && d.quiet(f.Type)
		case f.Type.List != nil:
			quiet = quiet && d.quietList(f)
		}
	}
	if !quiet {
		d.quietTypes[t] = false
	}
	return quiet
}

func (d *differ) quietList(f *schema.Field) bool {
	l := f.Type.List
	if d.listTypes {
		return l.Kind == schema.AtomicList || l.Kind == schema.KeyedList && d.quiet(l.Elem)
	}
	return f.Strategy&schema.StrategyMerge == 0 || f.MergeKey != "" && d.quiet(l.Elem)
}
