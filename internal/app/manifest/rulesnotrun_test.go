package manifest

import "testing"

func TestNoteOfRulesNotRun(t *testing.T) {
	for _, c := range []struct {
		why  string
		n    int
		note string
	}{
		{"one rule", 1, "1 CEL rule of Window was not evaluated; the program patchlab-admission evaluates it"},
		{"several rules", 12, "12 CEL rules of Window were not evaluated; the program patchlab-admission evaluates them"},
	} {
		note := RulesNotRun(c.n, "Window")
		if note != c.note {
			t.Errorf("%s: %q, want %q", c.why, note, c.note)
		}
		if n, kind, ok := CutRulesNotRun(note); n != c.n || kind != "Window" || !ok {
			t.Errorf("%s: cut into %d and %q: %v", c.why, n, kind, ok)
		}
	}
	for _, other := range []string{"", "2 CEL rules of Window", "x CEL rules of Window were not evaluated; the program patchlab-admission evaluates them"} {
		if _, _, ok := CutRulesNotRun(other); ok {
			t.Errorf("%q is taken for such a note", other)
		}
	}
	if many, want := RulesOfKindsNotRun(3, []string{"2 of A", "1 of B (2 objects)"}), "3 CEL rules of 2 kinds were not evaluated; the program patchlab-admission evaluates them:\n  2 of A\n  1 of B (2 objects)"; many != want {
		t.Errorf("%q, want %q", many, want)
	}
}
