package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestUpdateReplacesFiles: --update writes a new file in place of a scenario, so that none is lost if the
// disk is full, and keeps symbolic links and modes.
func TestUpdateReplacesFiles(t *testing.T) {
	folder := t.TempDir()
	file, link, second := filepath.Join(folder, "a.yaml"), filepath.Join(folder, "link.yaml"), filepath.Join(folder, "second.yaml")
	text := "scenario: patchlab.dev/v1\ntitle: T\nactors: [{name: a}]\nsteps:\n- {actor: a, do: apply, body: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\"}\n"
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, second); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("a.yaml", link); err != nil {
		t.Skip(err)
	}
	var out, errOut bytes.Buffer
	if code := Run([]string{"run", "--update", link}, nil, &out, &errOut); code != program.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, out.String(), errOut.String())
	}
	if now, err := os.ReadFile(file); err != nil || !strings.Contains(string(now), "expect") {
		t.Errorf("the scenario was not updated: %v\n%s", err, now)
	}
	if former, err := os.ReadFile(second); err != nil || string(former) != text {
		t.Errorf("the former file was written to: %v\n%s", err, former)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the symbolic link was replaced: %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file has changed: %v, %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".patchlab-*")); err != nil || len(left) > 0 {
		t.Errorf("a temporary file is left: %v, %v", left, err)
	}
}
