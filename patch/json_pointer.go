package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/schema"
)

// find resolves a pointer to the parent object or list and returns it with the last token.
// field is the name of the pointer for messages.
func (w *patcher) find(op *operation, pointer string, has bool, field string) (*branch, string, error) {
	w.trail, w.path = w.trail[:0], w.path[:0]
	if !has {
		return nil, "", op.fail(ErrCannotApply, "the operation has no "+field)
	}
	_, rest, slash := strings.Cut(pointer, "/")
	if !slash {
		err := op.fail(ErrCannotApply, field+" is not a JSON pointer: it has no slash")
		err.Hint = "a pointer looks like /metadata/labels"
		if pointer == "" {
			err.Reason, err.Hint = field+" refers to the whole object, which "+op.op+" does not support", ""
		}
		return nil, "", err
	}
	b := w.root.open()
	for {
		w.trail = append(w.trail, b)
		w.steps++
		token, after, more := strings.Cut(rest, "/")
		token = jsonpointer.Decode(token)
		if !more {
			return b, token, nil
		}
		next, err := w.step(op, b, token, field)
		if err != nil {
			return nil, "", err
		}
		b, rest = next, after
	}
}

// step descends one token, which must refer to an object or a list.
func (w *patcher) step(op *operation, b *branch, token, field string) (*branch, error) {
	var s *slot
	if b.isList() {
		i, err := op.position(token, b.len())
		if err != nil {
			return nil, err
		}
		s = b.at(i)
		if w.observer != nil {
			w.item(i)
		}
	} else {
		var found bool
		if s, found = b.member(token); !found {
			err := op.noMember(b, token, field)
			if op.op == "add" {
				err.Hint = strings.TrimSpace(err.Hint + " add it first, with the value {}; a slash in a key is written ~1")
			}
			return nil, err
		}
		if w.observer != nil {
			w.key(token)
		}
	}
	next := s.open()
	if next == nil {
		return nil, op.fail(ErrCannotApply, field+" goes through "+strconv.Quote(token)+", which is "+article(s.val.Kind())+", not an object or list")
	}
	return next, nil
}

// touch marks the branches of trail as changed.
func (w *patcher) touch() {
	for _, b := range w.trail {
		b.dirty = true
	}
}

// position parses a list index below size. A negative index counts from the end.
func (op *operation) position(token string, size int) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil {
		e := op.fail(ErrCannotApply, strconv.Quote(token)+" is not a list index")
		if token == "-" {
			e.Reason = "- means the end of a list only for values that are added"
		}
		return 0, e
	}
	if size == 0 {
		return 0, op.fail(ErrCannotApply, "the index "+token+" is out of range: the list is empty")
	}
	if i >= size || i < -size {
		return 0, op.fail(ErrCannotApply, "the index "+token+" is out of range; valid indices are "+strconv.Itoa(-size)+" to "+strconv.Itoa(size-1))
	}
	if i < 0 {
		i += size
	}
	return i, nil
}

// noMember returns the error for a missing key, with a hint if another key is similar.
func (op *operation) noMember(b *branch, key, field string) *Error {
	err := op.fail(ErrCannotApply, field+" refers to a missing key: "+strconv.Quote(key))
	if near := nearest(key, b.keys()); near != "" {
		err.Hint = "did you mean " + strconv.Quote(near) + "?"
	}
	return err
}

// nearest returns the key that was probably meant, or "" if none is close. Only the first
// hundred keys are compared.
func nearest(key string, keys []string) string {
	return schema.Nearest(key, slices.Values(keys[:min(len(keys), 100)]))
}

// noteSlot is note for slots. Replacing a value is not recorded as an addition.
func (w *patcher) noteSlot(key string, r Rule, what Outcome, old, now slot) {
	if w.observer == nil {
		return
	}
	was := old.build()
	w.note(key, r, outcome(what, was), was, now.build())
}

func (w *patcher) noteItemSlot(i int, r Rule, what Outcome, old, now slot) {
	if w.observer == nil {
		return
	}
	was := old.build()
	w.noteItem(i, r, outcome(what, was), was, now.build())
}

func outcome(what Outcome, was document.Value) Outcome {
	switch {
	case what == Added && was.Exists():
		return Replaced
	case what == Replaced && !was.Exists():
		return Added
	}
	return what
}
