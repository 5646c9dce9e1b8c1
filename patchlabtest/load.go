package patchlabtest

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// load creates the CRDs and then the objects of the options.
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
	manifest.SortForCreation(objects)
	return manifest.Load(ctx, c, "patchlabtest", append(crds, objects...)...)
}
