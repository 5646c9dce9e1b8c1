package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// A basis is the live object that a write starts from, and what is known of it.
// Patching and merging share with the live object what they do not change, and
// each later step passes over shared parts in which it would find nothing to do
// (document.SameNode). So a write decodes, fills in and validates what it changes,
// and not the whole object again at each step. The zero basis knows nothing.
type basis struct {
	kind *schema.Kind
	// live is the object with its defaults filled in.
	live document.Value
	// decoded reports whether decoding live as the kind changes nothing, valid
	// whether its validation finds nothing.
	decoded, valid bool
	// filled is the next state with its defaults filled in, and next is the next state
	// as it is decoded from storage. Both share more with what is to be stored than the
	// live object does. They are absent while they are not known.
	filled, next document.Value
}

// filledFor returns a value of a kind whose defaults are filled in, decodedFor one
// that decoding does not change, validFor one that is valid; absent where none is
// known.
func (b *basis) filledFor(k *schema.Kind) document.Value {
	switch {
	case b.kind != k:
		return document.Value{}
	case b.filled.Exists():
		return b.filled
	}
	return b.live
}

func (b *basis) decodedFor(k *schema.Kind) document.Value {
	if b.kind != k || !b.decoded {
		return document.Value{}
	}
	return b.live
}

// storedFor returns a value of a kind that decoding from storage does not change: the
// next state where it is known, else the live one, absent where neither is.
func (b *basis) storedFor(k *schema.Kind) document.Value {
	if b.kind == k && b.next.Exists() {
		return b.next
	}
	return b.decodedFor(k)
}

func (b *basis) validFor(k *schema.Kind) document.Value {
	if b.kind != k || !b.valid {
		return document.Value{}
	}
	return b.live
}

// A basis of a record is kept with it as two kinds: that for which reading and
// decoding the record changes nothing, and that for which it is valid.

// open returns a stored object as read does, with its resource version, and the
// basis that it is for a write.
func (p *pipeline) open(k *schema.Kind, item store.Item[*Record]) (fieldmanager.Object, basis, *Status) {
	r := item.Value
	if r.complete.Load() == k {
		object := versioned(r.object, item.Revision)
		return object, basis{kind: k, live: object.Value, decoded: true, valid: r.valid.Load() == k}, nil
	}
	stored := versioned(r.object, item.Revision)
	object, b, st := p.readAs(k, stored, r, basis{})
	if b.decoded && document.SameNode(object.Value, stored.Value) {
		r.complete.Store(k)
		b.valid = r.valid.Load() == k
	}
	return object, b, st
}

// readAs is readUpdate that also returns the basis that the object is for the next
// write. r is its record, nil for an object that was not stored.
func (p *pipeline) readAs(k *schema.Kind, o fieldmanager.Object, r *Record, earlier basis) (fieldmanager.Object, basis, *Status) {
	object, st := p.readUpdate(k, o, earlier)
	if st != nil {
		return object, basis{}, st
	}
	b := basis{kind: k, live: object.Value}
	switch {
	case o.Value.Get("apiVersion").StringOr("") != k.APIVersion():
	case r == nil && !document.SameNode(reread(object.Value, document.Value{}), object.Value):
	case !k.Builtin: // reading decodes a custom resource
		b.decoded = document.SameNode(object.Value, o.Value)
	case r != nil && r.decoded == k:
		b.decoded = true
	default:
		decoded, err := defaults.DecodeUpdate(k, object.Value, earlier.storedFor(k), defaults.FromTree)
		b.decoded = err == nil && len(decoded.Problems) == 0 && document.SameNode(decoded.Value, object.Value)
	}
	return object, b, nil
}
