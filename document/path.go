package document

import (
	"cmp"
	"fmt"
	"slices"
)

// Path leads from a value to one of its parts, step by step. The empty Path
// leads to the value itself. Paths are compared with slices.Equal, or with
// Compare where their order matters.
type Path []Step

// Keys returns the path through objects by the field names given.
func Keys(names ...string) Path {
	p := make(Path, len(names))
	for i, name := range names {
		p[i] = FieldStep(name)
	}
	return p
}

// Child returns the path to a member of the object at p. p is not changed.
func (p Path) Child(name string) Path { return p.Join(FieldStep(name)) }

// Item returns the path to the i-th item of the list at p. p is not changed.
func (p Path) Item(i int) Path { return p.Join(IndexStep(i)) }

// Join returns the path that takes the steps of p and then those given. p is
// not changed.
func (p Path) Join(steps ...Step) Path { return append(p[:len(p):len(p)], steps...) }

// HasPrefix reports whether p begins with all steps of prefix.
func (p Path) HasPrefix(prefix Path) bool {
	return len(p) >= len(prefix) && slices.Equal(p[:len(prefix)], prefix)
}

// Compare orders paths step by step, as Step.Compare orders steps; of two paths
// of which one begins with the other, the shorter is first.
func (p Path) Compare(o Path) int {
	for i := range min(len(p), len(o)) {
		if c := p[i].Compare(o[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(p), len(o))
}

// String writes the path in a form that ParsePath reads back:
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

// MarshalText returns the path as String writes it.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a path as ParsePath does.
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

// Lookup follows keys from v through objects.
func (v Value) Lookup(keys ...string) Value {
	for _, k := range keys {
		v = v.Get(k)
	}
	return v
}

// Follow returns the part of v that a path leads to. It is absent if the path
// leads nowhere. See Step.In for how list items are found.
func (v Value) Follow(p Path) Value {
	for _, s := range p {
		v = s.In(v)
	}
	return v
}

// In returns the part of v that the step leads to, absent if there is none. A
// key leads to the first item with these key fields; without such an item, to
// the first that has some of them and lacks the others, which may have default
// values.
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

// hasPartOfKey reports whether an item has at least one of the key fields and
// none with another value.
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

// Set returns v with the part that the keys lead to replaced by val, making
// the objects on the way; with an absent val the part is removed, and nothing
// is made. A list or a scalar on the way stays as it is, and v is returned
// unchanged; SetAt reports that.
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

// Remove returns v without the part that the keys lead to.
func (v Value) Remove(keys ...string) Value { return v.Set(Value{}, keys...) }

// SetAt returns v with the part that a path leads to replaced by val, or without
// it if val is absent. Objects on the way are made; the items of lists must
// exist. An error wraps ErrPath: something on the way is not an object or has no
// such item.
func (v Value) SetAt(p Path, val Value) (Value, error) {
	if len(p) == 0 {
		return val, nil
	}
	kid := p[0].In(v)
	if name, ok := p[0].Name(); ok {
		if v.Kind() > Null && v.Kind() != Object {
			return v, fmt.Errorf("%w: the field %q is set in %s, not in an object", ErrPath, name, v)
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
		return v, fmt.Errorf("%w: there is no item %s in %s", ErrPath, p[0], v)
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
