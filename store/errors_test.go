package store_test

import (
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// TestErrorsWithoutCause: other implementations of a store create these errors, with a cause or
// without one, which is then not printed.
func TestErrorsWithoutCause(t *testing.T) {
	cause := errors.New("x")
	for _, test := range []struct {
		err  error
		want string
	}{
		{&store.KeyError{Op: "get", Key: "/a", Err: cause}, "get /a: x"},
		{&store.KeyError{Op: "get", Key: "/a"}, "get /a"},
		{&store.UnavailableError{Err: cause}, "storage is unavailable: x"},
		{&store.UnavailableError{}, "storage is unavailable"},
		{&store.UnavailableError{Unknown: true}, "storage did not respond, and the write may have taken effect"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%#v: %s, want %s", test.err, got, test.want)
		}
	}
}
