package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedFileIsNotReplaced: --update does not undo what an editor has saved while the scenario ran.
func TestChangedFileIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte("saved meanwhile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewriteFile(file, []byte("as it was read"), []byte("updated")); err == nil || !strings.Contains(err.Error(), "has been changed by another program") {
		t.Errorf("got %v, want an error for the changed file", err)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != "saved meanwhile" {
		t.Errorf("the file is %q, %v", now, err)
	}
	if err := rewriteFile(filepath.Dir(file), nil, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v, want an error for what is not a file", err)
	}
}
