package clientobject_test

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/clientobject"
)

const liveConfigMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop","resourceVersion":"7","managedFields":[
	{"manager":"ops","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k":{}}}}]},"data":{"k":"1"}}`

// TestStatusErrorIsRecognized asks the functions of apimachinery about refusals of a Lab, and about
// errors that are none.
func TestStatusErrorIsRecognized(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live := patchlab.Bytes(liveConfigMap)
	object := func(rest string) patchlab.Bytes {
		return patchlab.Bytes(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"` + rest + `}`)
	}
	kinds := map[string]func(error) bool{"Conflict": apierrors.IsConflict, "Invalid": apierrors.IsInvalid, "BadRequest": apierrors.IsBadRequest,
		"NotFound": apierrors.IsNotFound, "UnsupportedMediaType": apierrors.IsUnsupportedMediaType}
	applied := func(live, config patchlab.Input, o patchlab.ApplyOptions) error {
		_, err := lab.Apply(live, config, o)
		return err
	}
	updated := func(live, config patchlab.Input) error {
		_, err := lab.Update(live, config, patchlab.WriteOptions{})
		return err
	}
	for _, test := range []struct {
		why  string
		err  error
		is   string // the one of kinds that recognizes it
		code int32
	}{
		{"a conflict of managers", applied(live, object(`},"data":{"k":"2"}`), patchlab.ApplyOptions{FieldManager: "dev"}), "Conflict", 409},
		{"an outdated resourceVersion", updated(live, object(`,"resourceVersion":"6"},"data":{"k":"2"}`)), "Conflict", 409},
		{"an invalid key", updated(live, object(`},"data":{"a b":"2"}`)), "Invalid", 422},
		{"an unknown field", updated(live, object(`},"date":{"k":"2"}`)), "BadRequest", 400},
		{"no live object", updated(nil, object(`}`)), "", 0},
		{"a syntax error", updated(live, patchlab.Bytes(`{`)), "", 0},
		{"no error", applied(live, object(`},"data":{"k":"1"}`), patchlab.ApplyOptions{FieldManager: "dev"}), "", 0},
	} {
		err := clientobject.StatusError(test.err)
		for name, is := range kinds {
			if is(err) != (name == test.is) {
				t.Errorf("%s: apierrors.Is%s reports %v for %v", test.why, name, is(err), err)
			}
		}
		if (err == nil) != (test.err == nil) || err != nil && err.Error() != test.err.Error() {
			t.Errorf("%s: the message is %v, want %v", test.why, err, test.err)
		}
		var refused *patchlab.Error
		var status *apierrors.StatusError
		if test.code == 0 {
			if err != test.err {
				t.Errorf("%s: %#v was replaced", test.why, test.err)
			}
			continue
		}
		if !errors.As(err, &refused) || !errors.As(err, &status) || status.ErrStatus.Code != test.code || status.ErrStatus.Status != metav1.StatusFailure {
			t.Errorf("%s: wraps %v and %+v, want the code %d", test.why, refused, status, test.code)
		}
		if again := clientobject.StatusError(err); again != err {
			t.Errorf("%s: wrapped twice", test.why)
		}
	}
}

// Controllers test errors with the functions of apimachinery.
func ExampleStatusError() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		panic(err)
	}
	config := patchlab.Bytes(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"},"data":{"k":"2"}}`)
	_, err = lab.Apply(patchlab.Bytes(liveConfigMap), config, patchlab.ApplyOptions{FieldManager: "dev"})
	err = clientobject.StatusError(err)
	fmt.Println(apierrors.IsConflict(err))
	if cause, ok := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict); ok {
		fmt.Println(cause.Field, cause.Message)
	}
	var conflicts *patchlab.Conflicts
	if errors.As(err, &conflicts) {
		fmt.Println(conflicts.List[0])
	}
	// Output:
	// true
	// .data.k conflict with "ops"
	// .data.k is owned by "ops": live "1", wanted "2"
}
