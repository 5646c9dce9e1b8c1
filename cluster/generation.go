package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

// firstGeneration returns a new object with its generation: 1 where the resource
// counts them. Others keep what the client sent.
func firstGeneration(s *kinds.Strategy, object document.Value) document.Value {
	if s.Generation == nil || s.NoFirstGeneration {
		return object
	}
	return withMeta(object, "generation", document.NewInt(1))
}

// nextGeneration returns next with live's generation, or one more where a part
// that counts has changed: compared, which is next as it is to be compared.
func nextGeneration(s *kinds.Strategy, next, compared, live document.Value) document.Value {
	next = keepMeta(next, live, "generation")
	for _, part := range s.Generation {
		if !same(part, compared, live) {
			return withMeta(next, "generation", document.NewInt(metaInt(live, "generation")+1))
		}
	}
	return next
}

// same compares a part of two objects as the API server does: an empty list or
// object is as good as none.
func same(part string, a, b document.Value) bool {
	if part == "!metadata" {
		return identicalBut("metadata", a, b)
	}
	for key := range strings.SplitSeq(part, ".") {
		a, b = a.Get(key), b.Get(key)
	}
	return identical(a, b)
}

// identicalBut compares the members of two objects but for one.
func identicalBut(key string, a, b document.Value) bool {
	others := func(v document.Value) int {
		if v.Get(key).Exists() {
			return v.Len() - 1
		}
		return v.Len()
	}
	if others(a) != others(b) {
		return false
	}
	for name, part := range a.Members() {
		if name != key && !document.Identical(part, b.Get(name)) {
			return false
		}
	}
	return true
}

func identical(a, b document.Value) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	return document.Identical(a, b)
}

func isEmpty(v document.Value) bool {
	switch v.Kind() {
	case document.Absent:
		return true
	case document.List, document.Object:
		return v.Len() == 0
	}
	return false
}
