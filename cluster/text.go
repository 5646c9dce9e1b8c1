package cluster

import (
	"strconv"

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

// textOf encodes an object that has metadata, without its resourceVersion.
func textOf(object document.Value) *objectText {
	b := make([]byte, 0, 1024)
	t := &objectText{}
	b = append(b, '{')
	last := object.Len() - 1
	for i := range object.Len() {
		key, begin := object.Key(i), len(b)
		b = append(document.AppendQuoted(b, key), ':')
		if key == "metadata" {
			t.metadataBegin = len(b)
			b = t.appendMetadata(b, object.At(i))
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
	t.json = string(append(b, '}'))
	return t
}

// appendMetadata encodes the metadata and records the offset of the resourceVersion.
func (t *objectText) appendMetadata(b []byte, metadata document.Value) []byte {
	b = append(b, '{')
	members, placed := 0, false
	for key, value := range metadata.Members() {
		if key == revisionKey {
			continue
		}
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
