package patchlab

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/bounded"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options configures a Lab. The zero value is the default Kubernetes version without custom
// resources.
type Options struct {
	// KubernetesVersion is the version of the built-in kinds and their defaults, such as
	// "1.36" or "v1.33.2", of which the patch version is ignored. It is one of
	// schema.Versions; the default is schema.DefaultVersion. doc/versions.md lists what else
	// differs between versions; the rest is that of kube-apiserver 1.36.
	KubernetesVersion string
	// CRDs holds CustomResourceDefinitions in .yaml, .yml or .json files in directories of
	// any depth. Other documents in these files are ignored.
	CRDs fs.FS
	// OpenAPI holds a cluster's OpenAPI v3 documents in .json or .yaml files, as printed by
	// 'kubectl get --raw /openapi/v3/apis/apps/v1'. Their kinds take precedence over built-in
	// ones with the same group, version and kind; all other built-in kinds remain.
	OpenAPI fs.FS
	// Kinds is the registry of kinds. If it is not nil, the fields above are ignored.
	Kinds *schema.Registry
	// Strict refuses objects of unknown kinds with ErrNoKind. Otherwise they are treated as custom
	// resources without a schema, and the Result has a note.
	Strict bool
	// NoDefaults disables the defaulting of built-in kinds.
	NoDefaults bool
	// Rules evaluates the CEL validation rules of custom resources; package admission/rules
	// has an implementation. If it is nil, the rules are not evaluated, and the Result has a
	// note with their number.
	Rules cluster.Rules
	// Policies holds admission policies, their bindings and parameters, which are evaluated
	// for each change. It must also hold the Namespaces of all objects that will be changed,
	// even the Namespace "default": a change in a namespace that it lacks is refused with
	// 404.
	//
	// Admission constructs the evaluator; it is required with Policies. It is the field of
	// the same name of a cluster.Config that was passed to admission.Configure; the
	// documentation of package admission has an example.
	Policies  Input
	Admission func(*cluster.Cluster) (cluster.Admission, error)
	// Now is the clock for timestamps. The default is time.Now.
	Now func() time.Time
	// UID generates the uid of a new object. The default generates random ones.
	UID func() string
	// MergeEngine and PatchEngine replace patchlab's own structured merge and patch
	// implementations, for example by those of package reference.
	MergeEngine fieldmanager.Engine
	PatchEngine patch.Engine
}

// Lab computes the results of changes to objects. It stores no objects. It caches what it
// prepares for a kind (at most 1000 entries, after which it begins anew), so a program should create
// one Lab with New and reuse it. It is safe for concurrent use. A Lab that New has not returned
// refuses every change with an error that wraps ErrInput.
type Lab struct {
	pipeline *cluster.Pipeline
	strict   bool
	rules    bool         // evaluate validation rules
	patches  patch.Engine // nil selects patchlab's own
	// schemaless maps each schemalessKind in use to its *schema.Kind.
	schemaless bounded.Map
}

// New returns a Lab. An error names the version, file or definition that is not valid.
func New(o Options) (*Lab, error) {
	kinds := o.Kinds
	if kinds == nil {
		catalog, err := schema.Builtin(o.KubernetesVersion)
		if err != nil {
			return nil, err
		}
		kinds = schema.NewRegistry(catalog)
		if err := addFiles(kinds, &o); err != nil {
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

// newPipeline returns the pipeline of a Lab. If there are admission policies, it is that of a
// cluster that stores them.
func newPipeline(config cluster.Config, o *Options) (*cluster.Pipeline, error) {
	if o.Policies == nil {
		return cluster.NewPipeline(config)
	}
	if o.Admission == nil {
		return nil, fmt.Errorf("%w: Options.Policies requires Options.Admission", ErrInput)
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

// Kinds returns the registry of the Lab's kinds. Kinds that are added to it, such as those of a
// CustomResourceDefinition that schema.FromCRD has read, take effect at once. The registry is nil
// if New has not returned the Lab.
func (l *Lab) Kinds() *schema.Registry {
	if l.usable() != nil {
		return nil
	}
	return l.pipeline.Kinds()
}

// usable refuses a Lab that New has not returned.
func (l *Lab) usable() error {
	if l == nil || l.pipeline == nil {
		return fmt.Errorf("%w: the Lab was not created by New", ErrInput)
	}
	return nil
}
