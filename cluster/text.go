package cluster

import (
	"strconv"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// objectText is the JSON of an object without its resourceVersion, with the offsets that are
// needed to serve it as an object, as a list item or as metadata only. It is immutable.
type objectText struct {
	json string
	// The offsets of the members apiVersion and kind, including the comma after them.
	versionBegin, versionEnd, kindBegin, kindEnd int
	// The offsets of the value of metadata.
	metadataBegin, metadataEnd int
	// The offsets of the value of metadata.labels, equal if there are none.
	labelsBegin, labelsEnd int
	// revision is the offset at which to insert the member resourceVersion; before and after
	// are the commas that it needs there.
	revision      int
	before, after string
}

const revisionKey = "resourceVersion"

// textOf encodes an object that has metadata, without its resourceVersion. managed is the value
// of metadata.managedFields if the object lacks them, otherwise absent.
func textOf(object, managed document.Value) *objectText {
	scratch := texts.Get().(*[]byte)
	b := (*scratch)[:0]
	t := &objectText{}
	b = append(b, '{')
	last := object.Len() - 1
	for i := range object.Len() {
		key, begin := object.Key(i), len(b)
		b = append(document.AppendQuoted(b, key), ':')
		if key == "metadata" {
			t.metadataBegin = len(b)
			b = t.appendMetadata(b, object.At(i), managed)
			t.metadataEnd = len(b)
		} else {
			b = object.At(i).AppendJSON(b)
		}
		if i < last {
			b = append(b, ',')
		}
		switch key {
		case "apiVersion":
			t.versionBegin, t.versionEnd = begin, len(b)
		case "kind":
			t.kindBegin, t.kindEnd = begin, len(b)
		}
	}
	b = append(b, '}')
	t.json = string(b)
	if cap(b) <= mostScratchBytes {
		*scratch = b
		texts.Put(scratch)
	}
	return t
}

// texts are buffers for textOf, which does not know the length of a text in advance.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// mostScratchBytes is the capacity up to which a buffer is kept for other texts.
const mostScratchBytes = 64 << 10

const managedKey = "managedFields"

// appendMetadata encodes the metadata, with managedFields if managed exists, and records the
// offset of the resourceVersion.
func (t *objectText) appendMetadata(b []byte, metadata, managed document.Value) []byte {
	b = append(b, '{')
	members, placed := 0, false
	member := func(key string, value document.Value) {
		if members > 0 {
			b = append(b, ',')
		}
		if !placed && key > revisionKey {
			t.revision, t.after, placed = len(b), ",", true
		}
		b = append(document.AppendQuoted(b, key), ':')
		begin := len(b)
		b = value.AppendJSON(b)
		if key == "labels" {
			t.labelsBegin, t.labelsEnd = begin, len(b)
		}
		members++
	}
	for key, value := range metadata.Members() {
		if managed.Exists() && key > managedKey {
			member(managedKey, managed)
			managed = document.Value{}
		}
		if key != revisionKey {
			member(key, value)
		}
	}
	if managed.Exists() {
		member(managedKey, managed)
	}
	if !placed {
		t.revision = len(b)
		if members > 0 {
			t.before = ","
		}
	}
	return append(b, '}')
}

// appendRange appends a part of the text, with the resourceVersion if its offset lies within
// the part.
func (t *objectText) appendRange(dst []byte, begin, end int, revision int64) []byte {
	if t.revision < begin || t.revision > end {
		return append(dst, t.json[begin:end]...)
	}
	dst = append(dst, t.json[begin:t.revision]...)
	dst = t.appendRevision(dst, revision)
	return append(dst, t.json[t.revision:end]...)
}

// appendRevision appends the member resourceVersion with the commas that it needs.
func (t *objectText) appendRevision(dst []byte, revision int64) []byte {
	dst = append(dst, t.before...)
	dst = append(dst, `"`+revisionKey+`":"`...)
	dst = strconv.AppendInt(dst, revision, 10)
	dst = append(dst, '"')
	return append(dst, t.after...)
}

// appendObject appends the object, with or without apiVersion and kind.
func (t *objectText) appendObject(dst []byte, revision int64, identity bool) []byte {
	if identity || t.versionEnd > t.kindBegin || t.kindEnd > t.metadataBegin {
		return t.appendRange(dst, 0, len(t.json), revision)
	}
	dst = append(dst, t.json[:t.versionBegin]...)
	dst = append(dst, t.json[t.versionEnd:t.kindBegin]...)
	return t.appendRange(dst, t.kindEnd, len(t.json), revision)
}
