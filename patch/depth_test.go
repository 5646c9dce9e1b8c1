package patch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/patch"
)

// TestJSONPatchBoundsNesting nests a value in itself. kube-apiserver refuses the result (422), because its
// encoder and its decoder have the limit of encoding/json, 10,000 levels.
func TestJSONPatchBoundsNesting(t *testing.T) {
	const depth = 6000
	value := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
	inside := strings.Repeat("/a", depth)
	for _, c := range []struct {
		why, ops string
		refused  bool
	}{
		{"a deep value", `{"op":"add","path":"/x","value":` + value + `}`, false},
		{"a deep value that is tested", `{"op":"add","path":"/x","value":` + value + `},{"op":"test","path":"/x` + inside + `","value":1},{"op":"test","path":"/x` + inside + `","value":1}`, false},
		{"a copy of a value in itself", `{"op":"add","path":"/x","value":` + value + `},{"op":"copy","from":"/x","path":"/x` + inside + `"}`, true},
		{"a value moved into another", `{"op":"add","path":"/x","value":` + value + `},{"op":"add","path":"/y","value":` + value + `},{"op":"move","from":"/x","path":"/y` + inside + `"}`, true},
		{"a deep value that is removed again", `{"op":"add","path":"/x","value":` + value + `},{"op":"copy","from":"/x","path":"/x` + inside + `"},{"op":"remove","path":"/x"}`, false},
	} {
		_, err := patch.JSON(parse(t, `{"spec":{}}`), parse(t, "["+c.ops+"]"), patch.Options{})
		if !c.refused {
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
			}
			continue
		}
		if !errors.Is(err, patch.ErrCannotApply) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}
