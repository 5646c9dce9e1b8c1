package protobuf

import (
	"bytes"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestOpenAPIExtensionsAreBlockYAML checks the text of an extension, which clients compare:
// kube-apiserver 1.36.3 encodes extensions as YAML in block style.
func TestOpenAPIExtensionsAreBlockYAML(t *testing.T) {
	d, err := document.Parse([]byte(`{"type":"object","x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"},{"fieldPath":"spec.size"}]}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "- fieldPath: spec.color\n- fieldPath: spec.size\n"
	if got := schemaMessage(d.Root); !bytes.Contains(got, []byte(want)) {
		t.Errorf("schemaMessage(%s) = %q, which does not contain %q", d.Root, got, want)
	}
}
