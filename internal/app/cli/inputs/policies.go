package inputs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// isPolicy reports whether an object is an admission policy.
func isPolicy(o manifest.Object) bool { return strings.HasSuffix(o.Kind(), "AdmissionPolicy") }

// PolicyFlag names the files with admission policies for a change.
type PolicyFlag struct {
	Files []string
	// Found are the policies, with the Namespaces for their selectors.
	Found Documents
}

// Elsewhere reports whether there are policies that this program cannot run.
func (f *PolicyFlag) Elsewhere(a *program.App) bool { return len(f.Files) > 0 && a.Policies == nil }

// Read reads the policies, and adds the Namespaces of the changed objects: those among the
// live objects, and others without labels of their own.
func (f *PolicyFlag) Read(a *program.App, namespace string, live, changes Documents) error {
	if len(f.Files) == 0 {
		return nil
	}
	docs, err := Source(a).Read(f.Files...)
	if err != nil {
		return err
	}
	f.Found = docs
	if !slices.ContainsFunc(f.Found.Objects(), isPolicy) {
		return errors.New("--policy " + strings.Join(f.Files, ", ") + ": no admission policy found")
	}
	known := map[string]bool{}
	for _, o := range f.Found.Objects() {
		if o.Kind() == "Namespace" {
			known[o.Value.Lookup("metadata", "name").StringOr("")] = true
		}
	}
	add := func(object document.Value) {
		if name := object.Lookup("metadata", "name").StringOr(""); name != "" && !known[name] {
			known[name] = true
			f.Found = append(f.Found, &document.Document{Root: object})
		}
	}
	names := []string{"default", namespace}
	for _, o := range append(live.Objects(), changes.Objects()...) {
		if o.Kind() == "Namespace" {
			add(o.Value)
		}
		names = append(names, o.Value.Lookup("metadata", "namespace").StringOr(""))
	}
	for _, name := range names {
		add(document.NewObject().With("apiVersion", document.NewString("v1")).With("kind", document.NewString("Namespace")).
			Set(document.NewString(name), "metadata", "name").
			Set(document.NewString(name), "metadata", "labels", "kubernetes.io/metadata.name"))
	}
	return nil
}

// Options adds the policies to the options of a Lab.
func (f *PolicyFlag) Options(a *program.App, o *patchlab.Options) error {
	if len(f.Files) == 0 {
		return nil
	}
	var config cluster.Config
	if err := a.Policies(&config); err != nil {
		return err
	}
	o.Policies, o.Admission = f.Found, config.Admission
	return nil
}

// HandOverPolicies executes the program that runs policies.
func HandOverPolicies(ctx context.Context, a *program.App) error {
	return a.HandOverTo(ctx, program.Admission, "evaluation of admission policies", program.AdmissionPackage)
}
