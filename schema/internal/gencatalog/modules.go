package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// moduleDir downloads a module if necessary and returns its directory.
func moduleDir(path, version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = os.TempDir() // outside any module, so that no go.sum changes
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &m); jerr != nil || m.Error != "" || err != nil {
		return "", fmt.Errorf("download %s@%s: %s %v", path, version, m.Error, err)
	}
	return m.Dir, nil
}

func readDocument(file string) (document.Value, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return document.Value{}, err
	}
	d, err := document.Parse(data, document.Options{Name: file, MaxBytes: -1})
	if err != nil {
		return document.Value{}, err
	}
	return d.Root, nil
}

// readKinds reads all kinds from the OpenAPI v3 documents of a k8s.io/kubernetes module.
func readKinds(dir string) (map[schema.GroupVersionKind]*schema.Kind, error) {
	files, err := filepath.Glob(filepath.Join(dir, "api", "openapi-spec", "v3", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no OpenAPI v3 documents in %s (%v)", dir, err)
	}
	var docs []document.Value
	for _, f := range files {
		d, err := readDocument(f)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	list, err := schema.FromOpenAPI(docs...)
	if err != nil {
		return nil, err
	}
	kinds := map[schema.GroupVersionKind]*schema.Kind{}
	for _, k := range list {
		kinds[k.GroupVersionKind] = k
	}
	return kinds, nil
}
