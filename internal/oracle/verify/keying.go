package verify

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

// keying makes lists with several keys, or with a default for the key, comparable with the
// library, which supports lists with one key only: it adds a member to each item, a text
// composed of its keys, and declares that as the only key.
type keying struct {
	typ   *schema.Type
	input document.Value
	given *schema.Type // the original type
	// several is set if the input has such a list; otherwise typ and input are unchanged.
	several bool
	// ambiguous is set if two items have the same keys and one of them has a key by its
	// default, so that the text does not identify the item. Results are then compared with
	// all keys explicit.
	ambiguous bool

	made map[*schema.Type]*schema.Type
	// keys are the members of the composed texts, for wanted items and for those to be
	// changed: the key members that a patch uses for an item.
	wanted, other map[string]document.Value
}

// theKey sorts before every field name.
const theKey = "!key"

func newKeying(t *schema.Type, input document.Value) *keying {
	k := &keying{typ: t, given: t, input: input, made: map[*schema.Type]*schema.Type{}, wanted: map[string]document.Value{}, other: map[string]document.Value{}}
	for name, v := range input.Members() {
		keys := k.other
		if name == "to" || name == "modified" {
			keys = k.wanted
		}
		input = input.With(name, k.value(t, v, "", keys))
	}
	for text, keys := range k.wanted {
		if other, both := k.other[text]; both && !document.Identical(keys, other) {
			k.ambiguous = true
		}
	}
	if k.several {
		k.typ, k.input = k.kind(t), parse(generate.Text(input)) // one text, as it was sent
	}
	return k
}

func manyKeys(l *schema.ListType) bool {
	return l != nil && l.Kind == schema.KeyedList && (len(l.Keys) > 1 || l.Keys[0].Default != "")
}

// kind returns a type in which each such list has one key.
func (k *keying) kind(t *schema.Type) *schema.Type {
	if t == nil || t == schema.Deduced() || t.Map == nil && t.List == nil {
		return t
	}
	if made := k.made[t]; made != nil {
		return made
	}
	out := *t
	k.made[t] = &out
	if t.Map != nil {
		m := *t.Map
		m.Fields = make([]schema.Field, len(t.Map.Fields))
		for i, f := range t.Map.Fields {
			f.Type = k.kind(f.Type)
			m.Fields[i] = f
		}
		m.Elem = k.kind(t.Map.Elem)
		out.Map = &m
	}
	if t.List != nil {
		l := *t.List
		if l.Elem = k.kind(t.List.Elem); manyKeys(t.List) {
			elem, m := *l.Elem, *l.Elem.Map
			m.Fields = append([]schema.Field{{Name: theKey, Type: &schema.Type{Scalar: schema.StringScalar}}}, m.Fields...)
			elem.Map = &m
			l.Elem, l.Keys = &elem, []schema.Key{{Name: theKey}}
		}
		out.List = &l
	}
	return &out
}

// value returns a value of type t, at a place in the input, with one key per item. keys
// records the composed texts.
func (k *keying) value(t *schema.Type, v document.Value, place string, keys map[string]document.Value) document.Value {
	if t == nil {
		return v
	}
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			list := withoutDirective(name)
			b.Set(name, k.value(t.Map.Member(list), val, place+"/"+list, keys))
		}
		return b.Object()
	case document.List:
		if t.List == nil {
			return v
		}
		var b document.ListBuilder
		for i, item := range v.Items() {
			if !manyKeys(t.List) {
				b.Append(k.value(t.List.Elem, item, itemPlace(t.List, place, i, item), keys))
				continue
			}
			k.several = true
			text, whole := k.text(t.List, item, place, keys)
			item = k.value(t.List.Elem, item, text, keys)
			if whole {
				item = keyed(item, text)
			}
			b.Append(item)
		}
		return b.List()
	}
	return v
}

// itemPlace returns the place of an item in a list with one key or none.
func itemPlace(l *schema.ListType, place string, i int, item document.Value) string {
	if len(l.Keys) > 0 {
		return place + "#" + item.Get(l.Keys[0].Name).String()
	}
	return place + "#" + strconv.Itoa(i)
}

// text composes one key from the keys of an item that has all keys without a default. It
// begins with the place, so that list items sort like ours.
func (k *keying) text(l *schema.ListType, item document.Value, place string, keys map[string]document.Value) (text string, whole bool) {
	if item.Kind() != document.Object {
		return place, false
	}
	spelling := []byte(place + "#")
	explicit := document.NewObject()
	for _, key := range l.Keys {
		v := item.Get(key.Name)
		if v.Exists() {
			explicit = explicit.With(key.Name, v)
		} else if v = schema.ParseDefault(key.Default); key.Default == "" {
			return place, false
		}
		spelling = append(spelling, keySpelling(v)...)
	}
	if old, found := keys[string(spelling)]; found && !document.Identical(old, explicit) {
		k.ambiguous = true
	}
	keys[string(spelling)] = explicit
	return string(spelling), true
}

// keyed adds the composed key to an item.
func keyed(item document.Value, text string) document.Value {
	if keep := item.Get("$retainKeys"); keep.Kind() == document.List {
		item = item.With("$retainKeys", document.NewList(append(items(keep), document.NewString(theKey))...))
	}
	return item.With(theKey, document.NewString(text))
}

func items(list document.Value) []document.Value {
	out := make([]document.Value, 0, list.Len())
	for _, v := range list.Items() {
		out = append(out, v)
	}
	return out
}

// keySpelling encodes one of several keys uniquely, such that texts sort like ours.
func keySpelling(v document.Value) []byte {
	kind, text := byte('1'), ""
	switch v.Kind() {
	case document.Bool:
		kind, text = '2', v.String()
	case document.Number:
		kind, text = '3', v.NumberText()
		if !v.IsInt() {
			f, _ := v.Float()
			kind, text = '4', strconv.FormatFloat(f, 'g', -1, 64)
		}
	case document.String:
		kind = '5'
		text, _ = v.Text()
	}
	return document.AppendQuoted([]byte{kind}, text)
}

// explicit returns our result in the form for comparison: with the defaults of keys
// explicit if the input is ambiguous.
func (k *keying) explicit(t *schema.Type, v document.Value) document.Value {
	if !k.ambiguous || t == nil {
		return v
	}
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			b.Set(name, k.explicit(t.Map.Member(withoutDirective(name)), val))
		}
		return b.Object()
	case document.List:
		if t.List == nil {
			return v
		}
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(withKeys(t.List, k.explicit(t.List.Elem, item)))
		}
		return b.List()
	}
	return v
}

// withKeys adds the default keys of an item that has all keys without a default.
func withKeys(l *schema.ListType, item document.Value) document.Value {
	out := item
	for _, key := range l.Keys {
		switch {
		case item.Kind() != document.Object || !manyKeys(l):
			return item
		case item.Get(key.Name).Exists():
		case key.Default == "":
			return item
		default:
			out = out.With(key.Name, schema.ParseDefault(key.Default))
		}
	}
	return out
}

// back returns a result of the library without the composed key. An item identified only by
// it gets the keys from the input.
func (k *keying) back(v document.Value) document.Value {
	return k.explicit(k.given, k.withoutKey(v))
}

func (k *keying) withoutKey(v document.Value) document.Value {
	if !k.several {
		return v
	}
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			if name == theKey {
				continue
			}
			if name == "$retainKeys" && val.Kind() == document.List {
				val = withoutText(val, theKey)
			}
			b.Set(name, k.withoutKey(val))
		}
		out := b.Object()
		text := v.Get(theKey).StringOr("")
		keys := k.wanted
		if v.Get("$patch").Exists() {
			keys = k.other
		}
		for name, val := range keys[text].Members() {
			out = out.With(name, val)
		}
		return out
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(k.withoutKey(item))
		}
		return b.List()
	}
	return v
}

func withoutText(list document.Value, text string) document.Value {
	var b document.ListBuilder
	for _, v := range list.Items() {
		if v.StringOr("") != text {
			b.Append(v)
		}
	}
	return b.List()
}
