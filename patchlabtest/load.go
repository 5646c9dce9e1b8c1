package patchlabtest

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/patchlab-dev/patchlab/clientobject"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// load creates the CRDs and then the objects of the options. Objects that every cluster has from
// the beginning are not created again.
func load(ctx context.Context, c *cluster.Cluster, o Options) error {
	var source manifest.Source
	crds, _, err := source.CRDs(o.CRDs...)
	if err != nil {
		return err
	}
	objects, _, err := source.Objects(o.Objects...)
	if err != nil {
		return err
	}
	values, origin, err := valuesOf(o)
	if err != nil {
		return err
	}
	objects = manifest.Missing(ctx, c, append(objects, values...))
	manifest.SortForCreation(objects)
	err = manifest.Load(ctx, c, "patchlabtest", append(crds, objects...)...)
	var failed *manifest.LoadError
	if errors.As(err, &failed) && origin[failed.Object.Document] != "" {
		return fmt.Errorf("%s: %w", origin[failed.Object.Document], err)
	}
	return err
}

// valuesOf returns the objects in Options.Values, and for each document a description of the
// value that it comes from.
func valuesOf(o Options) (objects []manifest.Object, origin map[*document.Document]string, err error) {
	typer := o.Scheme
	if typer == nil {
		typer = scheme.Scheme
	}
	origin = map[*document.Document]string{}
	for i, value := range o.Values {
		name := fmt.Sprintf("Options.Values[%d]", i)
		docs, err := clientobject.Input{Object: value, Scheme: typer}.Documents()
		switch {
		case runtime.IsNotRegisteredError(errors.Unwrap(err)) && o.Scheme == nil:
			return nil, nil, fmt.Errorf("%s: %w; set Options.Scheme to one that has it", name, err)
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(docs) == 0 {
			return nil, nil, fmt.Errorf("%s is nil", name)
		}
		for _, d := range docs {
			origin[d] = name
		}
		objects = append(objects, manifest.Split(docs...)...)
	}
	return objects, origin, nil
}
