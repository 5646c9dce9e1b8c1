package patchlab

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options say what a Lab knows. The zero value is the newest Kubernetes version
// without custom resources.
type Options struct {
	// KubernetesVersion is the version of the built-in kinds, such as "1.36" or
	// "v1.33.2"; "" is the newest known (schema.Versions).
	KubernetesVersion string
	// CRDs holds CustomResourceDefinitions in files that end in .yaml, .yml or
	// .json, in folders of any depth. Other documents in them are passed over.
	CRDs fs.FS
	// OpenAPI holds OpenAPI v3 documents of a cluster, in files that end in .json
	// or .yaml: what 'kubectl get --raw /openapi/v3/apis/apps/v1' prints. Their
	// kinds take the place of the built-in ones.
	OpenAPI fs.FS
	// Kinds, where not nil, are the kinds; the fields above are not read then.
	Kinds *schema.Registry
	// Strict refuses objects of kinds that are not known. Otherwise they are
	// treated as custom resources without a schema, and the Result has a note.
	Strict bool
	// NoDefaults leaves the defaults of built-in kinds out.
	NoDefaults bool
	// Rules evaluates the validation rules in CEL of custom resources, such as those of
	// the package admission. With nil they are not run, and the Result of a kind that
	// has rules has a note of how many.
	Rules cluster.Rules
	// Policies are admission policies and their bindings, with the parameters and
	// Namespaces that these refer to; they decide about each change. Admission runs
	// them: that of the package admission, as admission.Configure sets it. nil for no
	// policies.
	Policies  Input
	Admission func(*cluster.Cluster) (cluster.Admission, error)
	// Now is the clock that timestamps are taken from; nil is time.Now.
	Now func() time.Time
	// UID makes the uid of a new object; nil makes random ones.
	UID func() string
	// MergeEngine and PatchEngine do structured merges and patches in place of
	// patchlab's own, such as those of the package reference.
	MergeEngine fieldmanager.Engine
	PatchEngine patch.Engine
}

// A Lab answers what becomes of objects. It keeps nothing of them, but all that it
// has prepared for their kinds, so that a program should make one Lab and use it
// again. It is safe for concurrent use.
type Lab struct {
	pipeline *cluster.Pipeline
	strict   bool
	rules    bool         // validation rules are run
	patches  patch.Engine // nil for patchlab's own
	// schemaless holds the *schema.Kind of each schemalessKind that was met.
	schemaless sync.Map
}

// New returns a Lab. An error names the version, the file or the definition that
// cannot be used.
func New(o Options) (*Lab, error) {
	kinds := o.Kinds
	if kinds == nil {
		catalog, err := schema.Builtin(o.KubernetesVersion)
		if err != nil {
			return nil, err
		}
		kinds = schema.NewRegistry(catalog)
		if err := addCRDs(kinds, o.CRDs); err != nil {
			return nil, err
		}
		if err := addOpenAPI(kinds, o.OpenAPI); err != nil {
			return nil, err
		}
	}
	config := cluster.Config{
		Kinds: kinds, NoDefaults: o.NoDefaults, Rules: o.Rules, Engine: o.MergeEngine, PatchEngine: o.PatchEngine, Now: o.Now, UID: o.UID}
	pipeline, err := newPipeline(config, &o)
	if err != nil {
		return nil, err
	}
	return &Lab{pipeline: pipeline, strict: o.Strict, rules: o.Rules != nil, patches: o.PatchEngine}, nil
}

// newPipeline returns a pipeline, with a cluster that holds the policies where there are
// some.
func newPipeline(config cluster.Config, o *Options) (*cluster.Pipeline, error) {
	if o.Policies == nil {
		return cluster.NewPipeline(config)
	}
	if o.Admission == nil {
		return nil, fmt.Errorf("%w: Options.Policies needs Options.Admission, which runs them", ErrInput)
	}
	found, err := objects(o.Policies)
	if err != nil {
		return nil, err
	}
	config.Admission = o.Admission
	c, err := cluster.New(config)
	if err != nil {
		return nil, err
	}
	manifest.SortForCreation(found)
	if err := manifest.Load(context.Background(), c, "patchlab", found...); err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	return c.Pipeline(), nil
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

// Kinds returns the kinds that the Lab knows. What is added to them is known from
// then on.
func (l *Lab) Kinds() *schema.Registry { return l.pipeline.Kinds() }
