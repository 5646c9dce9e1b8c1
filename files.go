//go:build !js || !catalogfile

package patchlab

import (
	"fmt"
	"io/fs"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// addFiles adds the kinds in Options.CRDs and Options.OpenAPI.
func addFiles(kinds *schema.Registry, o *Options) error {
	if err := addCRDs(kinds, o.CRDs); err != nil {
		return err
	}
	return addOpenAPI(kinds, o.OpenAPI)
}

func addCRDs(kinds *schema.Registry, files fs.FS) error {
	if files == nil {
		return nil
	}
	source := manifest.Source{FS: files}
	crds, _, err := source.CRDs(".")
	if err != nil {
		return fmt.Errorf("CRDs: %w", err)
	}
	for _, o := range crds {
		crd, err := manifest.CRD(o)
		if err != nil {
			return fmt.Errorf("CRDs: %w", err)
		}
		kinds.AddCRD(crd)
	}
	return nil
}

func addOpenAPI(kinds *schema.Registry, files fs.FS) error {
	if files == nil {
		return nil
	}
	source := manifest.Source{FS: files, Recursive: true}
	docs, err := source.Read(".")
	if err != nil {
		return fmt.Errorf("OpenAPI: %w", err)
	}
	values := make([]document.Value, len(docs))
	for i, d := range docs {
		values[i] = d.Root
	}
	found, err := schema.FromOpenAPI(values...)
	if err != nil {
		return fmt.Errorf("OpenAPI: %w", err)
	}
	kinds.Add(found...)
	return nil
}
