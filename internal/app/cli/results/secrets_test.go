package results

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestMaskedParts checks what is left of a value at each path of a Secret.
func TestMaskedParts(t *testing.T) {
	annotations := document.NewObject().With("team", document.NewString("a")).With("kubectl.kubernetes.io/last-applied-configuration", document.NewString("{}"))
	masked := `{"kubectl.kubernetes.io/last-applied-configuration":"***","team":"a"}`
	values := document.NewObject().With("password", document.NewString("cGFzcw=="))
	for _, c := range []struct {
		why  string
		path document.Path
		v    document.Value
		want string
	}{
		{"one value", document.Keys("data", "password"), document.NewString("cGFzcw=="), `"***"`},
		{"all values", document.Keys("data"), values, `"***"`},
		{"all values as they are written", document.Keys("stringData"), values, `"***"`},
		{"no values", document.Keys("data"), document.Value{}, "nothing"},
		{"the annotation with the values", LastApplied(), document.NewString("{}"), `"***"`},
		{"all annotations", document.Keys("metadata", "annotations"), annotations, masked},
		{"all metadata", document.Keys("metadata"), document.NewObject().With("annotations", annotations), `{"annotations":` + masked + `}`},
		{"annotations without values", document.Keys("metadata", "annotations"), annotations.Without("kubectl.kubernetes.io/last-applied-configuration"), `{"team":"a"}`},
		{"another field", document.Keys("type"), document.NewString("Opaque"), `"Opaque"`},
	} {
		if got := MaskAt(c.path, c.v).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
