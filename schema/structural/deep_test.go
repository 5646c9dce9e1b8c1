package structural

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestPathsOfDeepMembersAreBounded prunes a small object, most of whose members are unknown and have long
// paths, and adds up the lengths of the paths.
func TestPathsOfDeepMembersAreBounded(t *testing.T) {
	const depth, members, most = 1000, 8000, 2 << 20
	typ := typeOf(t, strings.Repeat(`{"type":"object","properties":{"a":`, depth)+`{"type":"object"}`+strings.Repeat("}}", depth))
	var text strings.Builder
	text.WriteString(`{"spec":` + strings.Repeat(`{"a":`, depth) + "{")
	for i := range members {
		fmt.Fprintf(&text, `"x%d":1,`, i)
	}
	text.WriteString(`"y":1` + strings.Repeat("}", depth+2))
	doc, err := document.Parse([]byte(text.String()), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	object, unknown := Prune(typ, doc.Root)
	if text := object.String(); strings.Contains(text, "x") || strings.Contains(text, "y") || strings.Count(text, "a") != depth {
		t.Errorf("the object is %.300s", text)
	}
	steps := 0
	for _, path := range unknown {
		steps += len(path)
	}
	if len(unknown) < 1000 || steps > most || len(unknown[0]) != depth+2 {
		t.Errorf("%d paths have %d steps, want at most %d", len(unknown), steps, most)
	}
}
