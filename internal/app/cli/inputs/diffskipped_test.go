package inputs

import (
	"testing"
)

// TestOtherVersion checks which file of the other folder a file is a version of.
func TestOtherVersion(t *testing.T) {
	for _, c := range []struct {
		why, from, to, name, other string
		inFrom                     bool
	}{
		{"a file of TO", "before", "after", "after/a/b.yaml", "before/a/b.yaml", false},
		{"a file of FROM", "before", "after", "before/a/b.yaml", "after/a/b.yaml", true},
		{"FROM is in TO", "before", ".", "before/a.yaml", "a.yaml", true},
		{"a file of TO beside FROM", "before", ".", "a.yaml", "before/a.yaml", false},
		{"TO is in FROM", ".", "after", "after/a.yaml", "a.yaml", false},
		{"names that are not clean", "./before/", "after/./", "after/a.yaml", "before/a.yaml", false},
		{"folders outside of this one", "../before", "/srv/after", "/srv/after/a.yaml", "../before/a.yaml", false},
	} {
		v := &VersionsOfFolder{From: c.from, To: c.to}
		if other, inFrom := v.other(c.name); other != c.other || inFrom != c.inFrom {
			t.Errorf("%s: %s, %v, want %s, %v", c.why, other, inFrom, c.other, c.inFrom)
		}
	}
}
