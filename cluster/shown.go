package cluster

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Shown is a stored object in the form in which an endpoint serves it. Its encodings are
// computed once and cached with the stored object; lists and watch events are assembled from
// them. A Shown is immutable and safe for concurrent use. The zero Shown is no object.
type Shown struct {
	*form
	record   *Record
	pipeline *pipeline
	revision int64
}

// form holds the encodings of a stored object for one kind, at any revision.
type form struct {
	kind *schema.Kind
	// value is the object without its resourceVersion until it is encoded, because many readers
	// in the same process need no text; text is the encoding, from the record if that has one.
	value  document.Value
	text   *objectText
	encode sync.Once
	// other is the encoding that [Shown.Encoding] cached.
	other atomic.Pointer[encoding]
}

// encoded returns the object's text.
func (f *form) encoded() *objectText {
	f.encode.Do(func() {
		if f.text == nil {
			f.text, f.value = textOf(f.value, document.Value{}), document.Value{}
		}
	})
	return f.text
}

// Exists reports whether there is an object.
func (s Shown) Exists() bool { return s.form != nil }

// Kind returns the kind in which the object is served.
func (s Shown) Kind() *schema.Kind { return s.kind }

// Revision returns the revision that is the object's resourceVersion.
func (s Shown) Revision() int64 { return s.revision }

// Value returns the object, including its resourceVersion.
func (s Shown) Value() document.Value { return s.Object().Join() }

// Object returns the object, including its resourceVersion, with its managedFields decoded.
func (s Shown) Object() fieldmanager.Object {
	o, _ := s.pipeline.read(s.kind, versioned(s.record.tree(), s.revision)) // read succeeded for this record before
	return o
}

// AppendJSON appends the object's JSON.
func (s Shown) AppendJSON(dst []byte) []byte {
	return s.encoded().appendObject(dst, s.revision, true)
}

// Size returns the length in bytes of the object's JSON without the resourceVersion.
func (s Shown) Size() int { return len(s.encoded().json) }

// JSON returns the object's JSON in parts. The long parts refer to the cached text, so that
// writing them to many clients needs no copy.
func (s Shown) JSON() []string { return s.parts(0, len(s.encoded().json)) }

// MetadataJSON returns the JSON of the object's metadata (see [Shown.AppendMetadata]) in parts,
// like [Shown.JSON].
func (s Shown) MetadataJSON() []string {
	if s.annotatesFields() {
		return []string{string(s.AppendMetadata(nil))}
	}
	t := s.encoded()
	return s.parts(t.metadataBegin, t.metadataEnd)
}

func (s Shown) parts(begin, end int) []string {
	t := s.encoded()
	return []string{t.json[begin:t.revision], string(t.appendRevision(nil, s.revision)), t.json[t.revision:end]}
}

// AppendItem appends the object's JSON as an item of a list. Items of built-in kinds have no
// apiVersion and kind.
func (s Shown) AppendItem(dst []byte) []byte {
	return s.encoded().appendObject(dst, s.revision, !s.kind.Builtin)
}

// AppendMetadata appends the JSON of the object's metadata, without annotations that hold fields
// of the API server's internal version.
func (s Shown) AppendMetadata(dst []byte) []byte {
	t := s.encoded()
	if s.annotatesFields() {
		return defaults.InternalMetadata(s.kind, s.Value().Get("metadata")).AppendJSON(dst)
	}
	return t.appendRange(dst, t.metadataBegin, t.metadataEnd, s.revision)
}

// annotatesFields reports whether the metadata may have such annotations. Those of Deployments
// are rare.
func (s Shown) annotatesFields() bool {
	t := s.encoded()
	for _, name := range defaults.FieldAnnotations(s.kind) {
		if strings.Contains(t.json[t.metadataBegin:t.metadataEnd], name) {
			return true
		}
	}
	return false
}

// Encoding returns the result of encode for the object without its resourceVersion. The result
// is cached with the object under name, for the name used last only.
func (s Shown) Encoding(name string, encode func(*schema.Kind, document.Value) any) any {
	if kept := s.other.Load(); kept != nil && kept.name == name {
		return kept.value
	}
	value, _ := s.pipeline.show(s.kind, s.record.parsed())
	made := &encoding{name, encode(s.kind, value)}
	s.other.Store(made)
	return made.value
}

type encoding struct {
	name  string
	value any
}

// shown returns a record at a revision as the endpoint of a kind serves it.
func (p *pipeline) shown(k *schema.Kind, r *Record, revision int64) (Shown, *Status) {
	cached := r.form.Load()
	if cached != nil && cached.kind == k {
		return Shown{cached, r, p, revision}, nil
	}
	f := &form{kind: k}
	if text := r.text.Load(); holdsText && text != nil && r.complete.Load() == k {
		f.text = text
	} else {
		value, st := p.show(k, r.parsed())
		if st != nil {
			return Shown{}, st
		}
		f.value = value
	}
	// Readers that come here at the same time share the form of the first one. Each would
	// otherwise keep an encoding of its own, and a thousand watches of one object as many.
	if p.isCacheable(k, r) && !r.form.CompareAndSwap(cached, f) {
		if first := r.form.Load(); first.kind == k {
			f = first
		}
	}
	return Shown{f, r, p, revision}, nil
}

// isCacheable reports whether the served form of a record can be cached for the lifetime of the
// kind. The result of a converter cannot, because it may change.
func (p *pipeline) isCacheable(k *schema.Kind, r *Record) bool {
	if k.Builtin || r.complete.Load() == k || r.tree().Value.Get("apiVersion").StringOr("") == k.APIVersion() {
		return true
	}
	crd := p.crdOf(k)
	return p.config.Converters[k.Resource+"."+k.Group] == nil && crd != nil && crd.Conversion != "Webhook"
}
