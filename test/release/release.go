// Package release generates the published form of this repository's modules. Their
// go.mod files require each other at the released version, without the replace
// directives used during development.
package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// root is the path of the main module. All others are below it.
const root = "github.com/patchlab-dev/patchlab"

// Folders returns the folders of the published modules, relative to the repository.
func Folders() []string {
	return []string{".", "patchlabtest", "retry", "admission", "store/etcd", "cmd/patchlab-etcd"}
}

// GoMod returns the go.mod of a published module: it requires each module of this
// repository at version and has no replace directives for them.
func GoMod(data []byte, version string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range f.Require {
		if r.Mod.Path == root || strings.HasPrefix(r.Mod.Path, root+"/") {
			if err := f.AddRequire(r.Mod.Path, version); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range f.Replace {
		if r.Old.Path != root && !strings.HasPrefix(r.Old.Path, root+"/") {
			return nil, fmt.Errorf("go.mod replaces %s, which users of the published module would not get", r.Old.Path)
		}
		if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// WriteProxy writes the published modules of a repository to a folder, in the layout of
// a module proxy (https://go.dev/ref/mod#goproxy-protocol). With GOPROXY=file://FOLDER,
// go get finds them there. Files ignored by git are omitted.
func WriteProxy(repository, folder, version string) error {
	tree, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	if err := copyFiles(repository, tree); err != nil {
		return err
	}
	for _, at := range Folders() {
		if err := writeModule(filepath.Join(tree, at), folder, version); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// copyFiles copies the files of a repository that git tracks or would add.
func copyFiles(repository, to string) error {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repository
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(repository, name))
		if os.IsNotExist(err) {
			continue // deleted, but the deletion is not committed
		}
		if err != nil {
			return err
		}
		file := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func writeModule(source, folder, version string) error {
	file := filepath.Join(source, "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(data), Version: version}
	if data, err = GoMod(data, version); err != nil {
		return err
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	at := filepath.Join(folder, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m, source); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": info, version + ".mod": data, version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
