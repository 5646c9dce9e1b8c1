package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// isPolicy reports whether an object is an admission policy.
func isPolicy(o manifest.Object) bool { return strings.HasSuffix(o.Kind(), "AdmissionPolicy") }

// policyFlag names the files with admission policies for a change.
type policyFlag struct {
	files []string
	// found are the policies, with the Namespaces for their selectors.
	found documents
}

// elsewhere reports whether there are policies that this program cannot run.
func (f *policyFlag) elsewhere(a *App) bool { return len(f.files) > 0 && a.Policies == nil }

// read reads the policies, and adds the Namespaces of the changed objects: those among the
// live objects, and others without labels of their own.
func (f *policyFlag) read(a *App, namespace string, live, changes documents) error {
	if len(f.files) == 0 {
		return nil
	}
	docs, err := a.source().Read(f.files...)
	if err != nil {
		return err
	}
	f.found = docs
	if !slices.ContainsFunc(f.found.objects(), isPolicy) {
		return errors.New("--policy " + strings.Join(f.files, ", ") + ": no admission policy found")
	}
	known := map[string]bool{}
	for _, o := range f.found.objects() {
		if o.Kind() == "Namespace" {
			known[o.Value.Lookup("metadata", "name").StringOr("")] = true
		}
	}
	add := func(object document.Value) {
		if name := object.Lookup("metadata", "name").StringOr(""); name != "" && !known[name] {
			known[name] = true
			f.found = append(f.found, &document.Document{Root: object})
		}
	}
	names := []string{"default", namespace}
	for _, o := range append(live.objects(), changes.objects()...) {
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

// options adds the policies to the options of a Lab.
func (f *policyFlag) options(a *App, o *patchlab.Options) error {
	if len(f.files) == 0 {
		return nil
	}
	var config cluster.Config
	if err := a.Policies(&config); err != nil {
		return err
	}
	o.Policies, o.Admission = f.found, config.Admission
	return nil
}

// handOverPolicies executes the program that runs policies.
func (a *App) handOverPolicies(ctx context.Context) error {
	return a.handOverTo(ctx, admissionProgram, "evaluation of admission policies", admissionPackage)
}
