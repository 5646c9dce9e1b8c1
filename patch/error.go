package patch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// The reasons why a patch is refused, for use with errors.Is. Each corresponds to a status
// code of kube-apiserver.
var (
	// ErrMalformed: the patch does not have the form of its type (400).
	ErrMalformed = errors.New("malformed patch")
	// ErrCannotApply: the patch cannot be applied to this object (422).
	ErrCannotApply = errors.New("patch cannot be applied")
	// ErrTestFailed: a test operation of a JSON patch failed (422).
	ErrTestFailed = errors.New("test failed")
	// ErrInternal: kube-apiserver fails (500, or no response at all), although the patch is wrong.
	ErrInternal = errors.New("patch cannot be processed")
	// ErrTooLarge: the patch has too many operations (413).
	ErrTooLarge = errors.New("patch is too large")
	// ErrUnsupported: the kind of object does not support this type of patch (415).
	ErrUnsupported = errors.New("patch is not supported")
	// ErrPrecondition: a three-way merge would change a field that must not change.
	ErrPrecondition = errors.New("precondition failed")
	// ErrConflict: a three-way merge would change a field that has been changed since.
	ErrConflict = errors.New("conflicting changes")
)

// Error reports why and where a patch was refused.
type Error struct {
	// Type is the type of the patch.
	Type Type
	// Operation is the index of the failed operation of a JSON patch, otherwise -1.
	Operation int
	// Op is the name of the operation ("add"), "" for other types of patches.
	Op string
	// Pointer is the operation's JSON pointer (RFC 6901) as written in the patch.
	Pointer string
	// Path is the path of the error in the patch; for a JSON patch, that of the operation.
	Path document.Path
	// Position is the position of Path in the input; zero for parsed values.
	Position document.Position
	// Reason is the explanation, Hint is advice; Hint may be empty.
	Reason, Hint string
	// Problem, Values and Key describe an error of a strategic merge patch: its type, the values that kube-apiserver
	// shows in its message, and the merge key or directive in the message. They are zero for an error about the text
	// of a patch.
	Problem Problem
	Values  []document.Value
	Key     string
	// Err is one of the errors above.
	Err error
}

// Error returns the message in the form "file:line:column: operation 2 (add /spec/x):
// reason; hint".
func (e *Error) Error() string {
	var b strings.Builder
	if at := e.Position.String(); at != "" {
		b.WriteString(at + ": ")
	}
	if e.Operation >= 0 {
		b.WriteString("operation " + strconv.Itoa(e.Operation))
		if e.Op != "" {
			b.WriteString(" (" + e.Op)
			if e.Pointer != "" {
				b.WriteString(" " + e.Pointer)
			}
			b.WriteString(")")
		}
		b.WriteString(": ")
	} else if len(e.Path) > 0 {
		b.WriteString(e.Path.String() + ": ")
	}
	b.WriteString(e.Reason)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports that ErrTestFailed is an ErrCannotApply too.
func (e *Error) Is(target error) bool {
	return target == ErrCannotApply && e.Err == ErrTestFailed
}

// Code returns the status code of kube-apiserver, or 0 for errors that only kubectl has.
func (e *Error) Code() int {
	switch e.Err {
	case ErrMalformed:
		return 400
	case ErrCannotApply, ErrTestFailed:
		return 422
	case ErrTooLarge:
		return 413
	case ErrUnsupported:
		return 415
	case ErrInternal:
		return 500
	}
	return 0
}

// own copies strings that refer to inputs which the caller may change, and drops values that do.
func (e *Error) own() {
	e.because(OtherProblem, "")
	e.Op, e.Pointer = strings.Clone(e.Op), strings.Clone(e.Pointer)
	for i, s := range e.Path {
		if name, ok := s.Name(); ok {
			e.Path[i] = document.FieldStep(strings.Clone(name))
		}
	}
}

// A Problem is a kind of errors in strategic merge patches for which kube-apiserver has a message of its own
// (k8s.io/apimachinery/pkg/util/strategicpatch).
type Problem uint8

// The problems, with their Values and Key.
const (
	// OtherProblem is any other error.
	OtherProblem Problem = iota
	// NotAnObject: the patch, the value, is not an object.
	NotAnObject
	// NotAMap and NotASlice: the value is not an object or a list.
	NotAMap
	NotASlice
	// ListOfLists: a list that is merged has lists as items.
	ListOfLists
	// MixedItems: the items of the lists, the values, are of several kinds.
	MixedItems
	// NoItems: the lists to order have no items.
	NoItems
	// NoMergeKey: the item, the value, lacks the merge key, the Key.
	NoMergeKey
	// UnknownDirective: $patch, the first value, is not valid in the object, the second one.
	UnknownDirective
	// MergeDirective: $patch is merge in an item of a list.
	MergeDirective
	// WrongDirective: the directive, the Key, has a wrong form or does not fit the patch.
	WrongDirective
	// OtherOrder: the items of the first value are not in the order of the directive, the second one.
	OtherOrder
)

// because sets the problem.
func (e *Error) because(p Problem, key string, values ...document.Value) *Error {
	e.Problem, e.Key, e.Values = p, key, values
	return e
}

// refuse returns an error for a merge or strategic merge patch.
func refuse(t Type, cause error, path document.Path, reason string) *Error {
	return &Error{Type: t, Operation: -1, Err: cause, Path: path, Reason: reason}
}
