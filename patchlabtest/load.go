package patchlabtest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const crdKind = "CustomResourceDefinition"

// load creates the CRDs and then the objects of the options.
func load(ctx context.Context, c *cluster.Cluster, o Options) error {
	for _, from := range []struct {
		paths []string
		crds  bool
	}{{o.CRDs, true}, {o.Objects, false}} {
		for _, path := range from.paths {
			files, err := manifests(path)
			if err != nil {
				return err
			}
			for _, file := range files {
				if err := loadFile(ctx, c, file, from.crds); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// manifests gives a file itself, and of a folder the files that hold objects.
func manifests(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w: no .yaml, .yml or .json file is in it", path, fs.ErrNotExist)
	}
	return files, nil
}

func loadFile(ctx context.Context, c *cluster.Cluster, file string, crds bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	docs, err := document.Read(data, document.Options{Name: file})
	if err != nil {
		return err
	}
	for _, d := range docs {
		if kind, _ := d.Root.Get("kind").Text(); crds && kind != crdKind {
			continue
		}
		if err := create(ctx, c, d.Root); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func create(ctx context.Context, c *cluster.Cluster, object document.Value) error {
	k, ok := c.Kinds().Of(object)
	if !ok {
		kind, _ := object.Get("kind").Text()
		version, _ := object.Get("apiVersion").Text()
		return fmt.Errorf("no kind %q of apiVersion %q is served; give its CRD too", kind, version)
	}
	namespace, _ := object.Get("metadata").Get("namespace").Text()
	if k.Namespaced && namespace == "" {
		namespace = "default"
	}
	_, err := c.Do(ctx, &cluster.Request{
		Verb: cluster.Create, Group: k.Group, Version: k.Version, Resource: k.Resource, Namespace: namespace,
		Body: object.JSON(), UserAgent: "patchlabtest",
	})
	return err
}
