package clientobject

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/patchlab-dev/patchlab/cluster"
)

// StatusError returns an error that the functions of k8s.io/apimachinery/pkg/api/errors recognize, such
// as IsConflict and IsInvalid, which clients and controllers use:
//
//	_, err := lab.Update(live, object, patchlab.WriteOptions{})
//	if err = clientobject.StatusError(err); apierrors.IsConflict(err) { … }
//
// It has the message of err and wraps it, so that errors.As still finds the *patchlab.Error and its
// *patchlab.Conflicts, and it wraps a *apierrors.StatusError with the Status of the API server, which
// client-go would return. The message of that Status is the API server's; unlike the message of a
// *patchlab.Error, it may contain values of a Secret.
//
// An error that is not a refusal by the API server, such as a syntax error or patchlab.ErrNoMatch, is
// returned as it is, and so is nil.
func StatusError(err error) error {
	var refused *cluster.Status
	var already apierrors.APIStatus
	if !errors.As(err, &refused) || errors.As(err, &already) {
		return err
	}
	var answer apierrors.StatusError
	if failed := Into(refused.Object(), &answer.ErrStatus); failed != nil {
		return err // a Status always has the fields of its type
	}
	return &statusError{err, &answer}
}

// statusError is an error together with the Status of the API server.
type statusError struct {
	err    error
	answer *apierrors.StatusError
}

// Error returns the message of the error.
func (e *statusError) Error() string { return e.err.Error() }

// Status implements apierrors.APIStatus.
func (e *statusError) Status() metav1.Status { return e.answer.Status() }

// Unwrap returns the error and the *apierrors.StatusError.
func (e *statusError) Unwrap() []error { return []error{e.err, e.answer} }
