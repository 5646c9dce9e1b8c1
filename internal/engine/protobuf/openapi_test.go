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
	if got := appendSchemaFields(nil, d.Root); !bytes.Contains(got, []byte(want)) {
		t.Errorf("appendSchemaFields(%s) = %q, which does not contain %q", d.Root, got, want)
	}
}

// TestOpenAPIKeywordsOfCRDs checks the encoding of keywords that only schemas of CRDs have,
// as kube-apiserver 1.36.3 sent them.
func TestOpenAPIKeywordsOfCRDs(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"title", `{"title":"A"}`, "\x1a\x01A"},
		{"external documentation", `{"externalDocs":{"description":"more","url":"u"}}`, "\xea\x01\x09\x0a\x04more\x12\x01u"},
		{"example", `{"example":"aaa"}`, "\xf2\x01\x06\x12\x04aaa\n"},
		{"members of any type", `{"additionalProperties":true}`, "\xaa\x01\x02\x10\x01"},
		{"members of a type", `{"additionalProperties":{"title":"A"}}`, "\xaa\x01\x05\x0a\x03\x1a\x01A"},
	} {
		d, err := document.Parse([]byte(c.schema), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendSchemaFields(nil, d.Root)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
