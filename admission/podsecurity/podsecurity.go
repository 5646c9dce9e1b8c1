// Package podsecurity is the admission plugin PodSecurity of kube-apiserver, by the library with which
// kube-apiserver implements it. It refuses pods that violate the Pod Security Standard that the
// labels pod-security.kubernetes.io/enforce of their namespace name, and warns about pods,
// workloads and labels by the labels warn and enforce (KEP-2579).
package podsecurity

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	podsecurityadmission "k8s.io/pod-security-admission/admission"
	"k8s.io/pod-security-admission/admission/api/load"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/metrics"
	"k8s.io/pod-security-admission/policy"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
)

// Plugin returns the plugin PodSecurity with its default configuration: a namespace without labels
// allows everything, and nothing is exempt.
func Plugin() plugins.Plugin {
	return plugins.Plugin{Name: "PodSecurity", Before: "Priority", New: func(c *cluster.Cluster) func(context.Context, *cluster.Attributes) *cluster.Status {
		p := &plugin{library: sync.OnceValues(func() (*podsecurityadmission.Admission, error) { return library(c) })}
		return p.validate
	}}
}

// plugin validates writes. Its library is set up for the first write that needs it.
type plugin struct {
	library func() (*podsecurityadmission.Admission, error)
}

func library(c *cluster.Cluster) (*podsecurityadmission.Admission, error) {
	configuration, err := load.LoadFromData(nil)
	if err != nil {
		return nil, err
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), version(c.Kinds()))
	if err != nil {
		return nil, err
	}
	a := &podsecurityadmission.Admission{
		Configuration: configuration, Evaluator: evaluator, Metrics: unrecorded{},
		PodSpecExtractor: podsecurityadmission.DefaultPodSpecExtractor{},
		NamespaceGetter:  source{c}, PodLister: source{c},
	}
	if err := a.CompleteConfiguration(); err != nil {
		return nil, err
	}
	return a, a.ValidateConfiguration()
}

// version returns the Kubernetes version of the kinds, which limits the standards to those of its
// time; nil is the library's own.
func version(kinds *schema.Registry) *api.Version {
	catalog := kinds.Catalog()
	if catalog == nil {
		return nil
	}
	_, minor, _ := strings.Cut(catalog.Version(), ".")
	n, err := strconv.Atoi(minor)
	if err != nil {
		return nil
	}
	v := api.MajorMinorVersion(1, n)
	return &v
}

func (p *plugin) validate(ctx context.Context, a *cluster.Attributes) *cluster.Status {
	resource := apischema.GroupVersionResource{Group: a.Resource.Group, Version: a.Resource.Version, Resource: a.Resource.Resource}
	group := resource.GroupResource()
	if !a.Resource.Builtin || group != corev1.Resource("namespaces") && !(podsecurityadmission.DefaultPodSpecExtractor{}).HasPodSpec(group) {
		return nil
	}
	library, err := p.library()
	if err != nil {
		return internal(err)
	}
	record := &api.AttributesRecord{
		Name: a.Name, Namespace: a.Namespace, Resource: resource, Subresource: a.Request.Subresource,
		Kind:      apischema.GroupVersionKind{Group: a.Kind.Group, Version: a.Kind.Version, Kind: a.Kind.Kind},
		Operation: admissionv1.Operation(a.Operation), Username: a.Request.User.Name,
	}
	if record.Object, err = typed(record.Kind, a.Object); err != nil {
		return internal(err)
	}
	if record.OldObject, err = typed(record.Kind, a.Old); err != nil {
		return internal(err)
	}
	response := library.Validate(ctx, record)
	for _, w := range response.Warnings {
		a.Warn(w)
	}
	if response.Allowed {
		return nil
	}
	return refusal(a, response.Result)
}

// typed returns an object as the Go type of its kind, nil if it is absent.
func typed(kind apischema.GroupVersionKind, v document.Value) (runtime.Object, error) {
	if !v.Exists() {
		return nil, nil
	}
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	return object, convert.Typed(v, object)
}

// refusal returns the status of a refused write: 403, or 422 for the labels of a namespace.
func refusal(a *cluster.Attributes, result *metav1.Status) *cluster.Status {
	st := a.Forbid("Not allowed by PodSecurity")
	if result == nil {
		return st
	}
	st.Message, st.Reason, st.Code = result.Message, string(result.Reason), int(result.Code)
	if d := result.Details; d != nil {
		st.Details = &cluster.StatusDetails{Group: d.Group, Kind: d.Kind, Name: d.Name}
		for _, c := range d.Causes {
			st.Details.Causes = append(st.Details.Causes, cluster.Cause{Type: string(c.Type), Field: c.Field, Message: c.Message})
		}
	}
	return st
}

func internal(err error) *cluster.Status {
	return &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: fmt.Sprintf("Internal error occurred: PodSecurity: %v", err), Err: err}
}

// source reads namespaces and pods from the cluster.
type source struct{ cluster *cluster.Cluster }

// GetNamespace returns a namespace. One that does not exist has no labels, since a cluster without
// strict namespaces has objects in it.
func (s source) GetNamespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	resp, err := s.cluster.Do(ctx, &cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: name})
	var st *cluster.Status
	switch {
	case errors.As(err, &st) && st.Reason == cluster.ReasonNotFound:
		return namespace, nil
	case err != nil:
		return nil, err
	}
	return namespace, convert.Typed(resp.Object, namespace)
}

// ListPods returns the pods of a namespace.
func (s source) ListPods(ctx context.Context, namespace string) ([]*corev1.Pod, error) {
	resp, err := s.cluster.Do(ctx, &cluster.Request{Verb: cluster.List, Version: "v1", Resource: "pods", Namespace: namespace})
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for _, item := range resp.Items() {
		pod := &corev1.Pod{}
		if err := convert.Typed(item, pod); err != nil {
			return nil, err
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

// unrecorded records no metrics.
type unrecorded struct{}

func (unrecorded) RecordEvaluation(metrics.Decision, api.LevelVersion, metrics.Mode, api.Attributes) {
}
func (unrecorded) RecordExemption(api.Attributes)   {}
func (unrecorded) RecordError(bool, api.Attributes) {}
