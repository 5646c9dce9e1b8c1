package cluster

import (
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Shown is a stored object as an endpoint shows it. Its encodings are made once
// and kept with the stored object, so that lists and watch events are put together
// from them. A Shown is immutable and safe for concurrent use; the zero Shown is
// no object.
type Shown struct {
	*form
	record   *Record
	pipeline *pipeline
	revision int64
}

// form holds the encodings of a stored object as it is shown for one kind, at any
// revision.
type form struct {
	kind *schema.Kind
	text *objectText
	// other is an encoding that a server asked for.
	other atomic.Pointer[encoding]
}

// Exists reports whether there is an object.
func (s Shown) Exists() bool { return s.form != nil }

// Kind is the kind for which the object is shown.
func (s Shown) Kind() *schema.Kind { return s.kind }

// Revision is the resource version with which the object is shown.
func (s Shown) Revision() int64 { return s.revision }

// Value is the object, with its resourceVersion.
func (s Shown) Value() document.Value {
	value, _ := s.pipeline.show(s.kind, versioned(s.record.object, s.revision)) // showing it has succeeded before
	return value
}

// AppendJSON appends the object's JSON.
func (s Shown) AppendJSON(dst []byte) []byte {
	return s.text.appendObject(dst, s.revision, true)
}

// Size is the length of the object's JSON without the resourceVersion.
func (s Shown) Size() int { return len(s.text.json) }

// JSON returns the object's JSON in parts, of which the long ones are the text that is
// kept with the object: who writes them to many clients needs no copy for each.
func (s Shown) JSON() []string { return s.parts(0, len(s.text.json)) }

// MetadataJSON returns the JSON of the object's metadata in parts as [Shown.JSON] does.
func (s Shown) MetadataJSON() []string { return s.parts(s.text.metadataBegin, s.text.metadataEnd) }

func (s Shown) parts(begin, end int) []string {
	t := s.text
	return []string{t.json[begin:t.revision], string(t.appendRevision(nil, s.revision)), t.json[t.revision:end]}
}

// AppendItem appends the object's JSON as an item of a list: built-in kinds have
// no apiVersion and kind there.
func (s Shown) AppendItem(dst []byte) []byte {
	return s.text.appendObject(dst, s.revision, !s.kind.Builtin)
}

// AppendMetadata appends the JSON of the object's metadata.
func (s Shown) AppendMetadata(dst []byte) []byte {
	return s.text.appendRange(dst, s.text.metadataBegin, s.text.metadataEnd, s.revision)
}

// Encoding returns what encode makes of the object without its resourceVersion.
// It is kept with the object: encode is called again only if another encoder asked
// in between. Encoders are compared by name.
func (s Shown) Encoding(name string, encode func(*schema.Kind, document.Value) any) any {
	if kept := s.other.Load(); kept != nil && kept.name == name {
		return kept.value
	}
	value, _ := s.pipeline.show(s.kind, s.record.object)
	made := &encoding{name, encode(s.kind, value)}
	s.other.Store(made)
	return made.value
}

type encoding struct {
	name  string
	value any
}

// shown returns a record as the endpoint of a kind shows it at a revision.
func (p *pipeline) shown(k *schema.Kind, r *Record, revision int64) (Shown, *Status) {
	if f := r.form.Load(); f != nil && f.kind == k {
		return Shown{f, r, p, revision}, nil
	}
	value, st := p.show(k, r.object)
	if st != nil {
		return Shown{}, st
	}
	f := &form{kind: k, text: textOf(value)}
	if p.steady(k, r) {
		r.form.Store(f)
	}
	return Shown{f, r, p, revision}, nil
}

// steady reports whether a record is shown for a kind in the same way for as long
// as the kind lasts. What a converter returns may change.
func (p *pipeline) steady(k *schema.Kind, r *Record) bool {
	if k.Builtin || r.object.Value.Get("apiVersion").StringOr("") == k.APIVersion() {
		return true
	}
	crd := p.crdOf(k)
	return p.config.Converters[k.Resource+"."+k.Group] == nil && crd != nil && crd.Conversion != "Webhook"
}
