package document

import (
	"strconv"
	"strings"
)

// Step is one step of a Path: into an object by key, or, where Key is empty and
// Index is not negative, into a list by index. A step by an empty key has Index -1.
type Step struct {
	Key   string
	Index int
}

// Path leads from a value to one of its parts.
type Path []Step

// Keys returns the path through objects by the keys given.
func Keys(keys ...string) Path {
	p := make(Path, len(keys))
	for i, k := range keys {
		p[i] = Step{Key: k, Index: -1}
	}
	return p
}

// Child returns the path one key further down. p is not changed.
func (p Path) Child(key string) Path { return append(p[:len(p):len(p)], Step{Key: key, Index: -1}) }

// Item returns the path one list index further down. p is not changed.
func (p Path) Item(i int) Path { return append(p[:len(p):len(p)], Step{Index: i}) }

// String writes the path as Kubernetes' messages do: .spec.containers[0].image;
// keys that are no plain names are quoted: .metadata.labels["a/b"].
// The empty path is ".".
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.Index >= 0:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case plainName(s.Key):
			b.WriteString("." + s.Key)
		default:
			b.Write(append(AppendQuoted([]byte("["), s.Key), ']'))
		}
	}
	return b.String()
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

// Follow follows a path. Where it leads nowhere the answer is absent.
func (v Value) Follow(p Path) Value {
	for _, s := range p {
		if s.Index < 0 {
			v = v.Get(s.Key)
		} else if v.Kind() == List && s.Index < v.Len() {
			v = v.At(s.Index)
		} else {
			return Value{}
		}
	}
	return v
}

// Set returns v with the part that the keys lead to replaced by val, making
// the objects on the way; with an absent val the part is taken out, and nothing
// is made.
func (v Value) Set(val Value, keys ...string) Value {
	if len(keys) == 0 {
		return val
	}
	kid := v.Get(keys[0])
	if !val.Exists() && !kid.Exists() {
		return v
	}
	return v.With(keys[0], kid.Set(val, keys[1:]...))
}

// Remove returns v without the part that the keys lead to.
func (v Value) Remove(keys ...string) Value { return v.Set(Value{}, keys...) }
