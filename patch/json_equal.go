package patch

import (
	"bytes"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// test compares the value at the operation's path with the operation's value.
func (w *patcher) test(op *operation) error {
	if op.hasPath && op.path == "" {
		if !op.value.Exists() {
			return op.fail(ErrInternal, "the whole object cannot be compared without a value")
		}
		return w.compare(op, w.root)
	}
	b, key, err := w.find(op, op.path, op.hasPath, "path")
	if err != nil {
		return err
	}
	s, i, err := op.valueAt(b, key)
	if err != nil {
		return err
	}
	note := func() {
		if i >= 0 {
			w.noteItemSlot(i, RuleJSONTest, Kept, s, s)
		} else {
			w.noteSlot(key, RuleJSONTest, Kept, s, s)
		}
	}
	switch {
	case s.isNil():
		if !op.value.Exists() || op.value.IsNull() {
			note()
			return nil
		}
		return op.unequal(s)
	case !op.value.Exists():
		return op.unequal(s)
	}
	note()
	return w.compare(op, s)
}

func (w *patcher) compare(op *operation, s slot) error {
	same, ok := s.equal(op.value)
	if !ok {
		return op.fail(ErrInternal, "kube-apiserver cannot compare lists that contain null")
	}
	if !same {
		return op.unequal(s)
	}
	return nil
}

func (op *operation) unequal(s slot) *Error {
	is := s.build()
	err := op.fail(ErrTestFailed, "the test failed: the object has "+excerpt(is)+", the patch expects "+excerpt(op.value))
	if is.Exists() && op.value.Exists() && document.Equal(is, op.value) {
		err.Hint = "the values are equal, but kube-apiserver compares their text: write the value as the server prints it"
	}
	return err
}

// excerpt returns the source of a value, shortened for a message.
func excerpt(v document.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	const most = 80
	text := v.AppendSource(nil)
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "…"
	}
	return string(text)
}

// equal compares values like kube-apiserver's decoder. ok is false if the decoder fails
// because a list on either side contains null.
func (s slot) equal(v document.Value) (same, ok bool) {
	if s.val.IsNull() && s.branch == nil {
		if s.null == nullCopied {
			return v.Kind() == document.Object && v.Len() == 0, true
		}
		return v.IsNull(), true
	}
	switch s.kind() {
	case document.Object:
		return s.equalObject(v)
	case document.List:
		return s.equalList(v)
	}
	if k := v.Kind(); k == document.Object || k == document.List || k == document.Null {
		return false, true
	}
	return bytes.Equal(s.text(), v.AppendSource(nil)), true
}

func (s slot) kind() document.Kind {
	if s.branch != nil {
		return s.branch.base.Kind()
	}
	return s.val.Kind()
}

func (s slot) equalObject(v document.Value) (same, ok bool) {
	if v.Kind() != document.Object {
		return false, true
	}
	b := s.open()
	keys := b.keys()
	if len(keys) != v.Len() {
		return false, true
	}
	for i, key := range keys {
		if v.Key(i) != key {
			return false, true
		}
	}
	for i, key := range keys {
		member, other := b.get(key), v.At(i)
		if member.isNil() != other.IsNull() {
			return false, true
		}
		if other.IsNull() {
			continue
		}
		if same, ok := member.equal(other); !same || !ok {
			return same, ok
		}
	}
	return true, true
}

func (s slot) equalList(v document.Value) (same, ok bool) {
	if v.Kind() != document.List {
		return false, true
	}
	b := s.open()
	if b.len() != v.Len() {
		return false, true
	}
	for i := range b.len() {
		item := b.peek(i)
		if item.isNil() || v.At(i).IsNull() {
			return false, false
		}
		if same, ok := item.equal(v.At(i)); !same || !ok {
			return same, ok
		}
	}
	return true, true
}

// text returns a scalar's JSON text, which depends on its origin.
func (s slot) text() []byte {
	switch s.origin {
	case fromObject:
		return s.val.AppendJSON(nil)
	case fromPatch:
		return s.val.AppendSource(nil)
	}
	return escapeHTML(s.val.AppendSource(nil))
}

// escapeHTML escapes the characters in JSON text that json.Marshal escapes.
func escapeHTML(text []byte) []byte {
	r := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)
	return []byte(r.Replace(string(text)))
}
