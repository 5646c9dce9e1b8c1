package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReferenceIsCurrent checks that doc/cli is generated from the current commands.
func TestReferenceIsCurrent(t *testing.T) {
	files, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("the reference has %d files", len(files))
	}
	const again = "; run: cd test && go run ./cmd/reference"
	folder := "../../../doc/cli"
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("doc/cli/%s is not current (%v)%s", name, err, again)
		}
	}
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path)
		if err == nil && !e.IsDir() && files[name] == nil {
			t.Errorf("doc/cli/%s belongs to no command%s", name, again)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCommandsHaveHelp checks that every command has a long description and examples.
func TestCommandsHaveHelp(t *testing.T) {
	files, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range files {
		if filepath.Ext(name) != ".md" || name == "README.md" || name == "patchlab.md" || name == "patchlab_version.md" {
			continue
		}
		for _, section := range []string{"### Synopsis", "### Examples", "### Options"} {
			if !strings.Contains(string(page), section) {
				t.Errorf("%s has no %q", name, section)
			}
		}
	}
}
