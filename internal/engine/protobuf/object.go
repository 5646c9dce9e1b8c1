package protobuf

import (
	"bytes"

	"github.com/patchlab-dev/patchlab/document"
)

// object gathers the members of a JSON object. On the wire the items of a list
// and the entries of a map may lie between other fields, and a field that is
// there twice counts the last time.
type object struct {
	members []member
	places  map[string]int // made for many members: maps may have thousands
	begin   int            // where the text of the members begins
}

// manyMembers is from where an object keeps an index of its names.
const manyMembers = 32

type member struct {
	name  string
	json  []byte // of a single value; of a list its items with commas between them
	list  bool
	keyed *object // of a map
}

// reset forgets the members, for another object.
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

// isZero says whether a value is one that omitempty and omitzero leave out.
func isZero(json []byte) bool {
	switch string(bytes.TrimSpace(json)) {
	case `""`, "0", "false", "null", "{}", "[]":
		return true
	}
	return false
}
