package store_test

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// TestErrorsWithoutCause: who implements an Observer or a store creates these errors, with a cause or
// without one.
func TestErrorsWithoutCause(t *testing.T) {
	cause := errors.New("x")
	for _, test := range []struct {
		err  error
		want string
	}{
		{&store.KeyError{Op: "get", Key: "/a", Err: cause}, "get /a: x"},
		{&store.KeyError{Op: "get", Key: "/a"}, "get /a: <nil>"},
		{&store.UnavailableError{Err: cause}, "storage is unavailable: x"},
		{&store.UnavailableError{}, "storage is unavailable: <nil>"},
		{&store.UnavailableError{Unknown: true}, "storage did not respond, and the write may have taken effect: <nil>"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%#v: %s, want %s", test.err, got, test.want)
		}
	}
}
