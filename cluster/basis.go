package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
	"github.com/patchlab-dev/patchlab/store"
)

// A basis is the live object that a write starts from, with what earlier steps have
// established about it. Patching and merging share unchanged parts with the live object, and
// each later step skips the shared parts that it would leave unchanged (document.SameNode). A
// write therefore decodes, defaults and validates only what it changes, instead of the whole
// object at each step. The zero basis establishes nothing. The basis of a new object has only a
// next state, which is the body of the request.
type basis struct {
	kind *schema.Kind
	// live is the object with its defaults set.
	live document.Value
	// decoded reports whether decoding live as the kind leaves it unchanged; valid reports
	// whether live passes validation.
	decoded, valid bool
	// filled is the next state with its defaults set, and next is the next state in a form that
	// decoding from storage leaves unchanged. They share more with the object to be stored than
	// live does. They are absent until they have been computed.
	filled, next document.Value
}

// fill records the next state before and after its defaults were set. Decoding leaves defaults
// unchanged, so that they need not be decoded for storage if the rest need not.
func (b *basis) fill(decoded, filled document.Value) {
	b.filled = filled
	if b.next.Exists() && document.SameNode(b.next, decoded) {
		b.next = filled
	}
}

// filledFor returns a value of the kind whose defaults are set, decodedFor one that decoding
// leaves unchanged, validFor one that passes validation. Each is absent if no such value is
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

// storedFor returns a value of the kind that decoding from storage leaves unchanged: the next
// state if it is known, otherwise the live one, absent if neither is.
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

// open returns a stored object as read does, with its resourceVersion, and the basis for a
// write that starts from it. The record caches what open establishes, for the next write:
// Record.complete and Record.valid.
func (p *pipeline) open(k *schema.Kind, item store.Item[*Record]) (fieldmanager.Object, basis, *Status) {
	r := item.Value
	if r.complete.Load() == k {
		object := versioned(r.tree(), item.Revision)
		return object, basis{kind: k, live: object.Value, decoded: true, valid: r.valid.Load() == k}, nil
	}
	stored := versioned(r.tree(), item.Revision)
	object, b, st := p.readAs(k, stored, r, basis{})
	if b.decoded && document.SameNode(object.Value, stored.Value) {
		r.complete.Store(k)
		b.valid = r.valid.Load() == k
	}
	return object, b, st
}

// readAs is readUpdate that also returns the basis for a write that starts from the object. r
// is the object's record, nil for an object that is not stored.
func (p *pipeline) readAs(k *schema.Kind, o fieldmanager.Object, r *Record, earlier basis) (fieldmanager.Object, basis, *Status) {
	converted := o.Value.Get("apiVersion").StringOr("") != k.APIVersion()
	if r == nil && !k.Builtin && !converted && structural.Settled(k.Type(), o.Value) {
		// Reading the object changes nothing but its metadata.
		earlier = basis{kind: k, live: o.Value.Without("metadata"), decoded: true}
	}
	object, st := p.readUpdate(k, o, earlier)
	if st != nil {
		return object, basis{}, st
	}
	if converted && !k.Builtin {
		// The defaults of a custom resource are filled in for the version in which it is
		// stored, so the converted object may lack those of k.
		return object, basis{}, nil
	}
	b := basis{kind: k, live: object.Value}
	switch {
	case converted:
	case r == nil && !document.SameNode(reread(object.Value, earlier.decodedFor(k)), object.Value):
	case !k.Builtin: // reading a custom resource includes decoding it
		b.decoded = document.SameNode(object.Value, o.Value)
	case r != nil && r.decoded == k:
		b.decoded = true
	default:
		decoded, err := defaults.DecodeUpdate(k, object.Value, earlier.storedFor(k), defaults.FromTree)
		b.decoded = err == nil && len(decoded.Problems) == 0 && document.SameNode(decoded.Value, object.Value)
	}
	return object, b, nil
}
