package patch

import (
	"cmp"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// The rules of JSON patches, one per operation.
const (
	RuleJSONAdd     Rule = "json/add"
	RuleJSONRemove  Rule = "json/remove"
	RuleJSONReplace Rule = "json/replace"
	RuleJSONMove    Rule = "json/move"
	RuleJSONCopy    Rule = "json/copy"
	RuleJSONTest    Rule = "json/test"
)

// JSON applies a JSON patch (RFC 6902) like kube-apiserver. It deviates from the RFC as
// follows:
//
//  1. A null patch has no operations.
//  2. A missing member is null: replace adds it, copy copies null, and test
//     compares it with null.
//  3. An index may have a sign and leading zeros; a negative index counts from
//     the end. "-" is the end for add, and as the target of move and copy.
//  4. Text before the first slash of a pointer is ignored. The whole document
//     ("") can only be tested, or replaced by an object or a list.
//  5. test compares numbers, strings and booleans as JSON text: the server's
//     encoding or, for values that the same patch added, that of the patch.
//     Comparing a list that contains null fails (500).
//  6. Copying more than MaxCopyBytes in total is refused (422), and so are a result
//     that nests deeper than 10,000 levels (422) and more than MaxOperations
//     operations (413).
//
// The cost is linear in the sizes of the object and the patch. Errors are *Error.
func JSON(object, patch document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.JSON(object, patch, o)
	}
	ops, err := operations(patch, o)
	if err != nil {
		return document.Value{}, err
	}
	if len(ops) == 0 {
		return object, nil
	}
	limit := o.MaxCopyBytes
	if limit == 0 {
		limit = DefaultMaxCopyBytes
	}
	w := patcher{walk: walk{observer: o.Observer}, root: slot{val: object}, copyLimit: limit}
	if w.root.open() == nil {
		return document.Value{}, ops[0].fail(ErrCannotApply, "the object to patch must be an object or a list, not "+article(object.Kind()))
	}
	for i := range ops {
		if err := w.do(&ops[i]); err != nil {
			return document.Value{}, err
		}
	}
	out := w.root.build()
	if w.steps > uncheckedSteps && deeper(out, maxDepth) {
		return document.Value{}, refuse(TypeJSON, ErrCannotApply, nil, "the patched object nests deeper than 10000 levels")
	}
	w.report()
	return out, nil
}

const (
	// maxDepth is the limit of encoding/json for the nesting of lists and objects, which parsed documents
	// have too.
	maxDepth = 10000
	// uncheckedSteps is the number of steps of all pointers up to which the result is not checked. It bounds
	// what the operations can add to the depth of the object and of the values.
	uncheckedSteps = maxDepth / 2
)

// deeper reports whether lists and objects nest deeper than a number of levels.
func deeper(v document.Value, levels int) bool {
	if v.Len() > 0 && levels == 0 {
		return true
	}
	for i := range v.Len() {
		if deeper(v.At(i), levels-1) {
			return true
		}
	}
	return false
}

// An operation is one operation of a JSON patch.
type operation struct {
	index int
	op    string
	// path and from are JSON pointers. hasPath and hasFrom report whether the operation has
	// these members; "" is a valid pointer to the whole document.
	path, from       string
	hasPath, hasFrom bool
	// value is absent if the operation has none.
	value document.Value
}

// operations parses a patch and refuses anything but a list of operations.
func operations(patch document.Value, o Options) ([]operation, error) {
	if patch.IsNull() {
		return nil, nil
	}
	if patch.Kind() != document.List {
		return nil, refuse(TypeJSON, ErrMalformed, nil, "a JSON patch must be a list of operations, not "+article(patch.Kind()))
	}
	ops := make([]operation, patch.Len())
	for i, v := range patch.Items() {
		ops[i].index = i
		if err := ops[i].read(v, o.IgnoreFieldTypes); err != nil {
			return nil, err
		}
	}
	limit := o.MaxOperations
	if limit == 0 {
		limit = DefaultMaxOperations
	}
	if limit > 0 && len(ops) > limit {
		return nil, refuse(TypeJSON, ErrTooLarge, nil, "The allowed maximum operations in a JSON patch is "+strconv.Itoa(limit)+", got "+strconv.Itoa(len(ops)))
	}
	return ops, nil
}

func (op *operation) read(v document.Value, lenient bool) error {
	if v.Kind() != document.Object && !v.IsNull() {
		return op.fail(ErrMalformed, "an operation must be an object, not "+article(v.Kind()))
	}
	op.value = v.Get("value")
	for _, f := range [...]struct {
		name string
		text *string
		has  *bool
	}{{"op", &op.op, nil}, {"path", &op.path, &op.hasPath}, {"from", &op.from, &op.hasFrom}} {
		field := v.Get(f.name)
		text, ok := field.Text()
		if !ok {
			if field.Exists() && !field.IsNull() && !lenient {
				return op.fail(ErrMalformed, f.name+" must be a string, not "+article(field.Kind()))
			}
			continue
		}
		*f.text = text
		if f.has != nil {
			*f.has = true
		}
	}
	return nil
}

// fail returns an error of the operation.
func (op *operation) fail(cause error, reason string) *Error {
	return &Error{
		Type: TypeJSON, Operation: op.index, Op: op.op, Pointer: op.path,
		Path: document.Path{}.Item(op.index), Reason: reason, Err: cause,
	}
}

// given returns the slot for the value of an add or replace operation.
func (op *operation) given() slot {
	switch {
	case !op.value.Exists():
		return slot{val: document.NewNull()}
	case op.value.IsNull():
		return slot{val: op.value, null: nullGiven}
	}
	return slot{val: op.value, origin: fromPatch}
}

// patcher executes the operations of a patch.
type patcher struct {
	walk
	root      slot
	copied    int
	copyLimit int
	// trail holds the branches on the path last found.
	trail []*branch
	// steps is the number of tokens of all pointers so far.
	steps int
}

func (w *patcher) do(op *operation) error {
	switch op.op {
	case "add":
		return w.add(op, op.given(), RuleJSONAdd)
	case "remove":
		_, err := w.take(op, op.path, op.hasPath, "path", RuleJSONRemove)
		return err
	case "replace":
		return w.replace(op)
	case "move":
		s, err := w.take(op, op.from, op.hasFrom, "from", RuleJSONMove)
		if err != nil {
			return err
		}
		return w.add(op, s, RuleJSONMove)
	case "copy":
		return w.copy(op)
	case "test":
		return w.test(op)
	}
	err := op.fail(ErrCannotApply, "unknown operation "+strconv.Quote(op.op))
	if op.op == "" {
		err.Reason = "the operation has no \"op\""
	}
	err.Hint = "op must be add, remove, replace, move, copy or test"
	return err
}

// add inserts s at the operation's path.
func (w *patcher) add(op *operation, s slot, rule Rule) error {
	b, key, err := w.find(op, op.path, op.hasPath, "path")
	if err != nil {
		return err
	}
	if err := w.insert(op, b, key, s, rule); err != nil {
		return err
	}
	w.touch()
	return nil
}

func (w *patcher) insert(op *operation, b *branch, key string, s slot, rule Rule) error {
	if b.void {
		return op.fail(ErrInternal, "the parent is a copied null, to which kube-apiserver cannot add")
	}
	if !b.isList() {
		old := b.get(key)
		w.noteSlot(key, rule, Added, old, s)
		b.set(key, s)
		return nil
	}
	if key == "-" {
		key = strconv.Itoa(b.len())
	}
	i, err := op.position(key, b.len()+1)
	if err != nil {
		return err
	}
	w.noteItemSlot(i, rule, Added, slot{}, s)
	b.insert(i, s)
	return nil
}

// take removes and returns the value at a pointer.
func (w *patcher) take(op *operation, pointer string, has bool, field string, rule Rule) (slot, error) {
	b, key, err := w.find(op, pointer, has, field)
	if err != nil {
		return slot{}, err
	}
	if !b.isList() {
		s, found := b.lookup(key)
		if !found {
			err := op.noMember(b, key, field)
			if op.op == "remove" {
				err.Hint = cmp.Or(err.Hint, "a merge patch with null removes a field that may be missing")
			}
			return slot{}, err
		}
		w.noteSlot(key, rule, Removed, s, slot{})
		b.remove(key)
		w.touch()
		return s, nil
	}
	i, err := op.position(key, b.len())
	if err != nil {
		return slot{}, err
	}
	s := *b.at(i)
	w.noteItemSlot(i, rule, Removed, s, slot{})
	b.cut(i)
	w.touch()
	return s, nil
}

func (w *patcher) replace(op *operation) error {
	if op.hasPath && op.path == "" {
		return w.replaceRoot(op)
	}
	b, key, err := w.find(op, op.path, op.hasPath, "path")
	if err != nil {
		return err
	}
	if b.void {
		return op.fail(ErrInternal, "the parent is a copied null, which kube-apiserver cannot change")
	}
	s := op.given()
	if b.isList() {
		i, err := op.position(key, b.len())
		if err != nil {
			return err
		}
		at := b.at(i)
		w.noteItemSlot(i, RuleJSONReplace, Replaced, *at, s)
		*at = s
	} else {
		w.noteSlot(key, RuleJSONReplace, Replaced, b.get(key), s)
		b.set(key, s)
	}
	w.touch()
	return nil
}

func (w *patcher) replaceRoot(op *operation) error {
	s := op.given()
	if !op.value.Exists() {
		return op.fail(ErrInternal, "the whole object cannot be replaced without a value")
	}
	if s.open() == nil {
		return op.fail(ErrCannotApply, "the whole object can only be replaced by an object or a list, not by "+article(op.value.Kind()))
	}
	s.branch.dirty = true
	if w.observer != nil {
		w.decisions = append(w.decisions, Decision{Rule: RuleJSONReplace, Outcome: Replaced, Old: w.root.build(), New: op.value})
	}
	w.root = s
	return nil
}

func (w *patcher) copy(op *operation) error {
	b, key, err := w.find(op, op.from, op.hasFrom, "from")
	if err != nil {
		return err
	}
	s, _, err := op.valueAt(b, key)
	if err != nil {
		return err
	}
	// As in kube-apiserver, a target that does not exist is reported before the limit on
	// copied bytes is checked.
	if _, _, err := w.find(op, op.path, op.hasPath, "path"); err != nil {
		return err
	}
	if s.isNil() {
		return w.add(op, s, RuleJSONCopy)
	}
	w.copied += len(s.build().JSON())
	if w.copyLimit > 0 && w.copied > w.copyLimit {
		return op.fail(ErrCannotApply, "the patch copies more than the "+strconv.Itoa(w.copyLimit)+" bytes allowed")
	}
	return w.add(op, s.clone(true), RuleJSONCopy)
}

// valueAt returns the value of a member or item; a missing member is null.
func (op *operation) valueAt(b *branch, key string) (s slot, index int, err error) {
	if !b.isList() {
		s, found := b.lookup(key)
		if !found {
			s = slot{val: document.NewNull()}
		}
		return s, -1, nil
	}
	i, err := op.position(key, b.len())
	if err != nil {
		return slot{}, -1, err
	}
	return b.peek(i), i, nil
}
