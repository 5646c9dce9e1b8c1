package structured

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
)

// ErrType is the cause of a TypeError.
var ErrType = errors.New("does not match the schema")

// Undeclared is the reason of an UndeclaredField.
const Undeclared = "field not declared in schema"

// Duplicate is the reason of a DuplicateItem.
const Duplicate = "duplicate item in the list"

// The objects that errors are about.
const (
	Configuration = "the applied configuration"
	LiveObject    = "the live object"
	NewObject     = "the new object"
)

// Mismatch is the way in which a value does not match its type.
type Mismatch uint8

// The mismatches that structured-merge-diff reports with messages of their own.
const (
	_ Mismatch = iota
	UndeclaredField
	DuplicateItem
	KeyedNull      // an item of a list with keys
	KeyedNotObject // an item of a list with keys
	KeyedNoKeys    // an item of a list with keys
	SetNull        // an item of a set
	SetObject      // an item of a set
	SetList        // an item of a set
	NotObject
	NotList
	NotString
	NotBoolean
	NotNumber
	NotScalar
)

// TypeError reports that an object does not match its type.
type TypeError struct {
	Object string // the object, such as "the live object"; may be empty
	Path   document.Path
	// Mismatch is the mismatch that Reason describes, 0 for one without a name.
	Mismatch Mismatch
	Reason   string
	// Value is a value of a wrong type. The Path may lead to another one, in a list with duplicates.
	Value document.Value
	// Keys are the keys of a list whose item has none of them.
	Keys []string
	// Others are the other mismatches of the same object. Each has only a Path, a Mismatch, a
	// Reason, a Value and Keys.
	Others []*TypeError
	// Root is the object, absent where the error was not reported by an Engine.
	Root document.Value
	// Step is the step of structured-merge-diff that fails, in the words in which the
	// API server reports it, such as "failed to convert new object: ".
	Step string
}

func (e *TypeError) Error() string {
	s := e.Reason
	if len(e.Path) > 0 {
		s = e.Path.String() + ": " + s
	}
	if e.Object != "" {
		s = e.Object + " does not match the schema of its kind: " + s
	}
	return s
}

// Unwrap returns ErrType.
func (e *TypeError) Unwrap() error { return ErrType }

// inStep adds the step that failed to a TypeError.
func inStep(step string, err error) error {
	var t *TypeError
	if !errors.As(err, &t) {
		return err
	}
	e := *t
	e.Step = step + ": " + e.Step
	return &e
}
