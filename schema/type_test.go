package schema

import (
	"fmt"
	"slices"
	"testing"
)

// TestMapTypeField: a field is found by name in maps of any size, and a missing name is not
// found.
func TestMapTypeField(t *testing.T) {
	for n := range 70 {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%c%d", 'a'+i%7, i))
		}
		slices.Sort(names)
		m := &MapType{}
		for _, name := range names {
			m.Fields = append(m.Fields, Field{Name: name})
		}
		for i, name := range names {
			if m.Field(name) != &m.Fields[i] {
				t.Fatalf("of %d fields %q is not found", n, name)
			}
		}
		for _, name := range append(names, "", "a", "m", "zz") {
			for _, other := range []string{name + "0x", name[:max(len(name)-1, 0)], "A" + name} {
				if f := m.Field(other); f != nil && f.Name != other || f == nil && slices.Contains(names, other) {
					t.Fatalf("of %d fields %q is found as %v", n, other, f)
				}
			}
		}
	}
}
