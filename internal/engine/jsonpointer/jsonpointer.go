// Package jsonpointer reads and writes JSON pointers (RFC 6901), the paths of a JSON patch.
//
// It is as lenient as the library with which kube-apiserver applies JSON patches: what
// precedes the first slash of a pointer is ignored, and a tilde that begins neither ~0 nor ~1
// stands for itself.
package jsonpointer

import (
	"iter"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Tokens returns the decoded tokens of a pointer, which has one after each slash.
func Tokens(pointer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_, rest, more := strings.Cut(pointer, "/")
		for more {
			var token string
			if token, rest, more = strings.Cut(rest, "/"); !yield(Decode(token)) {
				return
			}
		}
	}
}

// Decode returns the key that a token stands for.
func Decode(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	// Of ~01, the first two characters are an escape, and not the last two.
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// Encode returns the token for a key.
func Encode(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// Of returns the pointer to the part of a value at a path of fields and indexes.
func Of(path document.Path) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		if i, ok := step.Index(); ok {
			b.WriteString(strconv.Itoa(i))
			continue
		}
		name, _ := step.Name()
		b.WriteString(Encode(name))
	}
	return b.String()
}
