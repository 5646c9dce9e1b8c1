package protobuf

import (
	"bytes"

	"github.com/patchlab-dev/patchlab/document"
)

// object collects the members of a JSON object. On the wire, list items and map entries may
// be interleaved with other fields, and the last value of a repeated field is used.
type object struct {
	members []member
	places  map[string]int // index for many members: maps may have thousands
	begin   int            // offset of the members' text
}

// manyMembers is the number of members from which an object has an index.
const manyMembers = 32

type member struct {
	name  string
	json  []byte // of a single value; for a list, its items separated by commas
	list  bool
	keyed *object // for a map
}

// reset removes the members, so that the object can be reused.
func (o *object) reset() { o.members, o.places = o.members[:0], nil }

func (o *object) at(name string) *member {
	if o.places != nil {
		if i, ok := o.places[name]; ok {
			return &o.members[i]
		}
	} else {
		for i := range o.members {
			if o.members[i].name == name {
				return &o.members[i]
			}
		}
	}
	o.members = append(o.members, member{name: name})
	last := len(o.members) - 1
	switch {
	case o.places != nil:
		o.places[name] = last
	case len(o.members) == manyMembers:
		o.places = make(map[string]int, 2*manyMembers)
		for i := range o.members {
			o.places[o.members[i].name] = i
		}
	}
	return &o.members[last]
}

func (o *object) set(name string, json []byte) { m := o.at(name); m.json, m.list = json, false }

func (o *object) addItem(name string, json []byte) {
	m := o.at(name)
	if m.list {
		m.json = append(m.json, ',')
	}
	m.json, m.list = append(m.json, json...), true
}

func (o *object) setEntry(d *decoder, name, key string, json []byte) {
	m := o.at(name)
	if m.keyed == nil {
		m.keyed = d.object()
	}
	m.keyed.set(key, json)
}

func (o *object) appendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(document.AppendQuoted(dst, m.name), ':')
		switch {
		case m.keyed != nil:
			dst = m.keyed.appendJSON(dst)
		case m.list:
			dst = append(append(append(dst, '['), m.json...), ']')
		default:
			dst = append(dst, m.json...)
		}
	}
	return append(dst, '}')
}

// isZero reports whether omitempty and omitzero omit a value.
func isZero(json []byte) bool {
	switch string(bytes.TrimSpace(json)) {
	case `""`, "0", "false", "null", "{}", "[]":
		return true
	}
	return false
}
