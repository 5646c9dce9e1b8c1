package inputs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMissingFolders checks which name of something that does not exist is that of a folder, which is compared as an empty
// one. A misspelled name must not be.
func TestMissingFolders(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for _, dir := range []string{"before", "after/app", "deployment"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("after/file.yaml", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, from, to string
		want          bool
	}{
		{"both exist", "before", "after", true},
		{"a new application", "before/app", "after/app", true},
		{"a removed one, in folders that do not exist either", "after/app", "before/a/b/c", true},
		{"with an absolute path", filepath.Join(root, "before", "app"), filepath.Join(root, "after", "app"), true},
		{"with a slash at the end", "before/app/", "after/app/", true},
		{"a misspelled name", "befor", "after", false},
		{"a misspelled name in this folder", "./befor", "after", false},
		{"a folder in a misspelled one", "befor/app", "after/app", false},
		{"neither exists", "before/app", "before/other", false},
		{"a file", "before/app", "after/file.yaml", false},
		{"a file that does not exist", "before/app.yaml", "after/app", false},
		{"a glob", "before/*", "after/app", false},
		{"an object of a cluster", "service/web", "after/app", false},
		{"an object of a cluster, whose kind is also the name of a folder", "deployment/web", "after/app", false},
		{"standard input", "-", "after", false},
		{"no FROM", "", "after", false},
	} {
		if got := FoldersOf(&Flags{Live: c.from, Files: []string{c.to}}) != nil; got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}
