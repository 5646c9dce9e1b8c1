package patch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Why a patch was refused, to be found with errors.Is. Each stands for the
// status with which kube-apiserver answers.
var (
	// ErrMalformed: the patch is not of the form that its kind asks for (400).
	ErrMalformed = errors.New("malformed patch")
	// ErrCannotApply: the patch does not fit the object (422).
	ErrCannotApply = errors.New("patch cannot be applied")
	// ErrTestFailed: a test operation of a JSON patch failed (422).
	ErrTestFailed = errors.New("test failed")
	// ErrInternal: kube-apiserver answers with an internal error here (500),
	// though the patch is to blame.
	ErrInternal = errors.New("patch cannot be processed")
	// ErrTooLarge: the patch holds more operations than allowed (413).
	ErrTooLarge = errors.New("patch is too large")
	// ErrUnsupported: the kind of patch is not served for the kind of object (415).
	ErrUnsupported = errors.New("patch is not supported")
	// ErrPrecondition: a three-way merge would change what must stay.
	ErrPrecondition = errors.New("precondition failed")
	// ErrConflict: a three-way merge changes what was changed otherwise since.
	ErrConflict = errors.New("conflicting changes")
)

// Error says why a patch was refused, and where.
type Error struct {
	// Type is the kind of the patch.
	Type Type
	// Operation is the index of the failed operation of a JSON patch, else -1.
	Operation int
	// Op is what the operation does ("add"), "" for other kinds of patch.
	Op string
	// Pointer is the operation's JSON pointer (RFC 6901) as the patch spells it.
	Pointer string
	// Path leads to the place in the patch that is to blame, for a JSON patch to
	// the operation.
	Path document.Path
	// Position is that place in the input, zero where values were given.
	Position document.Position
	// Reason says what is wrong, Hint what may help; Hint may be empty.
	Reason, Hint string
	// Err is one of the errors above.
	Err error
}

// Error returns "file:line:column: operation 2 (add /spec/x): reason; hint".
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

// Is makes a failed test an ErrCannotApply too.
func (e *Error) Is(target error) bool {
	return target == ErrCannotApply && e.Err == ErrTestFailed
}

// Code returns the HTTP status with which kube-apiserver answers, 0 for errors
// that only kubectl knows.
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

// own makes the error independent of inputs that were borrowed.
func (e *Error) own() {
	e.Op, e.Pointer = strings.Clone(e.Op), strings.Clone(e.Pointer)
	for i, s := range e.Path {
		if name, ok := s.Name(); ok {
			e.Path[i] = document.FieldStep(strings.Clone(name))
		}
	}
}

// refuse makes an error about a patch that is no JSON patch.
func refuse(t Type, cause error, path document.Path, reason string) *Error {
	return &Error{Type: t, Operation: -1, Err: cause, Path: path, Reason: reason}
}
