package manifest

import "testing"

func TestNoteWithoutSchema(t *testing.T) {
	note := WithoutSchema("Gadget", "example.com/v1", "lists merge as a whole")
	if want := "no schema for Gadget in example.com/v1, whose CustomResourceDefinition was not given (--crd): lists merge as a whole"; note != want {
		t.Errorf("%q, want %q", note, want)
	}
	if kind, consequence, ok := CutWithoutSchema(note); !ok || kind != "Gadget in example.com/v1" || consequence != "lists merge as a whole" {
		t.Errorf("cut into %q and %q: %v", kind, consequence, ok)
	}
	for _, other := range []string{"", "no schema for Gadget", "a note, whose CustomResourceDefinition was not given (--crd): x"} {
		if _, _, ok := CutWithoutSchema(other); ok {
			t.Errorf("%q is taken for such a note", other)
		}
	}
	many := WithoutSchemas([]string{"A in example.com/v1", "B in example.com/v1 (2 objects)"}, "lists merge as a whole")
	if want := "no schema for 2 kinds, whose CustomResourceDefinitions were not given (--crd): lists merge as a whole:\n  A in example.com/v1\n  B in example.com/v1 (2 objects)"; many != want {
		t.Errorf("%q, want %q", many, want)
	}
}
