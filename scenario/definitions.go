package scenario

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// policyGroup is the API group of admission policies.
const policyGroup = "admissionregistration.k8s.io"

// Define creates the definitions in a text: CustomResourceDefinitions, admission policies
// and bindings, and the objects that policies use as parameters or selectors: ConfigMaps,
// custom resources and Namespaces. They apply to all steps. An error is an *Error, a
// *document.SyntaxError or the *cluster.Status that refused a definition; the preceding
// ones remain.
func (r *Runner) Define(ctx context.Context, text string) error {
	docs, err := manifest.Parse("", []byte(text))
	if err != nil {
		return err
	}
	objects := manifest.Split(docs...)
	if len(objects) == 0 {
		return &Error{Reason: "expected a CustomResourceDefinition or an admission policy, found nothing"}
	}
	manifest.SortForCreation(objects)
	for _, o := range objects {
		if err := r.defineOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) defineOne(ctx context.Context, o manifest.Object) error {
	k, ok := r.cluster.Kinds().Of(o.Value)
	if !ok || k.Resource == "" || !defines(k) {
		return &Error{Position: o.Position(), Reason: fmt.Sprintf("expected a CustomResourceDefinition, an admission policy or binding, or a parameter of one "+
			"(a ConfigMap, a Namespace or a custom resource), found kind %q; live objects belong under objects", o.Kind())}
	}
	object := o.Value.Remove("metadata", "resourceVersion").Remove("metadata", "managedFields") // set in definitions read from a cluster
	q := &cluster.Request{Verb: cluster.Create, Group: k.Group, Version: k.Version, Resource: k.Resource,
		Document: &document.Document{Root: object}, Options: cluster.Options{FieldManager: "patchlab"}}
	if k.Namespaced {
		q.Namespace = object.Lookup("metadata", "namespace").StringOr("default")
	}
	_, err := r.cluster.Do(ctx, q)
	return err
}

// defines reports whether objects of a kind are allowed as definitions.
func defines(k *schema.Kind) bool {
	switch {
	case !k.Builtin:
		return true
	case k.Group == policyGroup:
		return strings.Contains(k.Kind, "Policy")
	case k.Group == "apiextensions.k8s.io":
		return k.Kind == "CustomResourceDefinition"
	}
	return k.Group == "" && (k.Kind == "ConfigMap" || k.Kind == "Namespace")
}

// NotRun returns the numbers of CEL rules of custom resources and of admission policies in
// the cluster that are not evaluated, because the configuration of the runner adds none.
func (r *Runner) NotRun(ctx context.Context) (rules, policies int) {
	for k := range r.cluster.Kinds().Kinds() {
		if k.Storage && !r.rules {
			rules += k.Rules
		}
		if !r.policies && k.Builtin && k.Group == policyGroup && k.Version == "v1" && strings.HasSuffix(k.Kind, "AdmissionPolicy") {
			list, err := r.cluster.Do(ctx, &cluster.Request{Verb: cluster.List, Group: k.Group, Version: k.Version, Resource: k.Resource})
			if err == nil {
				policies += list.Object.Get("items").Len()
			}
		}
	}
	return rules, policies
}

// watch records whether rules or policies refuse a request.
func (r *Runner) watch(c *cluster.Config) {
	if open := c.Admission; open != nil {
		c.Admission = func(of *cluster.Cluster) (cluster.Admission, error) {
			a, err := open(of)
			return watchedAdmission{a, &r.denied}, err
		}
	}
	if c.Rules != nil {
		c.Rules = watchedRules{c.Rules, &r.denied}
	}
}

type watchedAdmission struct {
	cluster.Admission
	denied *bool
}

func (w watchedAdmission) Mutate(ctx context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	v, st := w.Admission.Mutate(ctx, a)
	*w.denied = *w.denied || st != nil
	return v, st
}

func (w watchedAdmission) Validate(ctx context.Context, a *cluster.Attributes) *cluster.Status {
	st := w.Admission.Validate(ctx, a)
	*w.denied = *w.denied || st != nil
	return st
}

type watchedRules struct {
	cluster.Rules
	denied *bool
}

func (w watchedRules) Object(ctx context.Context, crd *schema.CRD, kind *schema.Kind, object, old document.Value) ([]cluster.Cause, []string) {
	causes, warnings := w.Rules.Object(ctx, crd, kind, object, old)
	*w.denied = *w.denied || len(causes) > 0
	return causes, warnings
}
