package document

import (
	"cmp"
	"fmt"
	"slices"
)

// Path is the path from a value to one of its parts. The empty Path refers to the value
// itself. Compare paths with slices.Equal, or with Compare if order matters.
type Path []Step

// Keys returns the path of the given field names.
func Keys(names ...string) Path {
	p := make(Path, len(names))
	for i, name := range names {
		p[i] = FieldStep(name)
	}
	return p
}

// Child returns the path of a member of the object at p. It does not modify p.
func (p Path) Child(name string) Path { return p.Join(FieldStep(name)) }

// Item returns the path of the i-th item of the list at p. It does not modify p.
func (p Path) Item(i int) Path { return p.Join(IndexStep(i)) }

// Join returns p followed by the given steps. It does not modify p.
func (p Path) Join(steps ...Step) Path { return append(p[:len(p):len(p)], steps...) }

// HasPrefix reports whether p begins with all steps of prefix.
func (p Path) HasPrefix(prefix Path) bool {
	return len(p) >= len(prefix) && slices.Equal(p[:len(prefix)], prefix)
}

// Compare orders paths step by step with Step.Compare; a prefix sorts before the longer
// path.
func (p Path) Compare(o Path) int {
	for i := range min(len(p), len(o)) {
		if c := p[i].Compare(o[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(p), len(o))
}

// String returns the path in a form that ParsePath accepts:
//
//	.spec.containers[0].image
//	.spec.containers[name="app"].ports[containerPort=80,protocol="TCP"]
//	.metadata.labels["app.kubernetes.io/name"]
//	.metadata.finalizers[="example.com/guard"]
//
// The empty path is ".".
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b []byte
	for _, s := range p {
		b = s.append(b)
	}
	return string(b)
}

// MarshalText implements encoding.TextMarshaler with String.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with ParsePath.
func (p *Path) UnmarshalText(text []byte) error {
	parsed, err := ParsePath(string(text))
	if err == nil {
		*p = parsed
	}
	return err
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '-' && c != '$' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}

// Lookup returns the value at a path of field names, absent if there is none. Without keys
// it returns v.
func (v Value) Lookup(keys ...string) Value {
	for _, k := range keys {
		v = v.Get(k)
	}
	return v
}

// Follow returns the value at a path, absent if there is none. See Step.In for how list
// items are found.
func (v Value) Follow(p Path) Value {
	for _, s := range p {
		v = s.In(v)
	}
	return v
}

// In returns the value in v that the step refers to, absent if there is none. A key refers
// to the first item with these key fields; if there is none, to the first item that has
// some of them and lacks the others, which may have default values.
func (s Step) In(v Value) Value {
	switch {
	case s.kind == StepField:
		return v.Get(s.text)
	case v.Kind() != List:
		return Value{}
	case s.kind == StepIndex:
		if s.index >= 0 && s.index < v.Len() {
			return v.At(s.index)
		}
		return Value{}
	}
	want := s.Value()
	lacking := Value{}
	for _, item := range v.Items() {
		switch {
		case s.kind == StepValue:
			if Equal(item, want) {
				return item
			}
		case hasKey(item, want):
			return item
		case !lacking.Exists() && hasPartOfKey(item, want):
			lacking = item
		}
	}
	return lacking
}

func hasKey(item, key Value) bool {
	for name, want := range key.Members() {
		if got := item.Get(name); !got.Exists() || !Equal(got, want) {
			return false
		}
	}
	return item.Kind() == Object
}

// hasPartOfKey reports whether an item has at least one of the key fields and no other
// value in any of them.
func hasPartOfKey(item, key Value) bool {
	some := false
	for name, want := range key.Members() {
		got := item.Get(name)
		if got.Exists() && !Equal(got, want) {
			return false
		}
		some = some || got.Exists()
	}
	return some
}

// Set returns v with the value at a path of field names replaced by val, creating objects
// on the way. If val is absent, the value is removed and nothing is created. If a list or
// scalar is on the way, Set returns v unchanged; SetAt returns an error. Without keys Set
// returns val.
func (v Value) Set(val Value, keys ...string) Value {
	if len(keys) == 0 {
		return val
	}
	kid := v.Get(keys[0])
	if !val.Exists() && !kid.Exists() || v.Kind() > Null && v.Kind() != Object {
		return v
	}
	set := kid.Set(val, keys[1:]...)
	if !set.Exists() && len(keys) > 1 || SameNode(set, kid) && kid.Exists() {
		return v
	}
	return v.With(keys[0], set)
}

// Remove returns v without the value at a path of field names, like Set with an absent
// value. Objects that become empty are kept.
func (v Value) Remove(keys ...string) Value { return v.Set(Value{}, keys...) }

// SetAt returns v with the value at a path replaced by val, or removed if val is absent.
// Missing objects on the way are created; list items must exist. An error wraps ErrPath: a
// value on the way is not an object or does not have the item. Its message has no values of v.
func (v Value) SetAt(p Path, val Value) (Value, error) {
	if len(p) == 0 {
		return val, nil
	}
	kid := p[0].In(v)
	if name, ok := p[0].Name(); ok {
		if v.Kind() > Null && v.Kind() != Object {
			return v, fmt.Errorf("%w: cannot set the field %q of a %s", ErrPath, name, v.Kind())
		}
		if !kid.Exists() && !val.Exists() {
			return v, nil
		}
		set, err := kid.SetAt(p[1:], val)
		if err != nil {
			return v, err
		}
		return v.With(name, set), nil
	}
	if v.Kind() != List || !kid.Exists() {
		return v, fmt.Errorf("%w: there is no item %s in the %s", ErrPath, p[0], v.Kind())
	}
	set, err := kid.SetAt(p[1:], val)
	if err != nil {
		return v, err
	}
	for i, item := range v.Items() {
		if item != kid {
			continue
		}
		if !set.Exists() {
			return v.Splice(i, 1), nil
		}
		return v.WithItem(i, set), nil
	}
	return v, nil
}
