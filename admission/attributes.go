package admission

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiadmission "k8s.io/apiserver/pkg/admission"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// attributes implements the plugins' Attributes for a write.
type attributes struct {
	apiadmission.Attributes
	audit func(key, value string)
}

// object is the new object, which plugins change in place.
func (a *attributes) object() *unstructured.Unstructured {
	return a.GetObject().(*unstructured.Unstructured)
}

// AddAnnotation implements the plugins' Attributes.
func (a *attributes) AddAnnotation(key, value string) error {
	if a.audit != nil {
		a.audit(key, value)
	}
	return nil
}

// AddAnnotationWithLevel implements the plugins' Attributes. The audit level is ignored.
func (a *attributes) AddAnnotationWithLevel(key, value string, _ auditinternal.Level) error {
	return a.AddAnnotation(key, value)
}

// attributes converts the attributes of a write for the plugins.
func (ch *chain) attributes(a *cluster.Attributes) (*attributes, *objects) {
	var object, old runtime.Object
	if a.Object.Exists() {
		object = unstructuredOf(a.Encoding(a.Object))
	}
	if a.Old.Exists() {
		old = unstructuredOf(a.Old)
	}
	r := a.Request
	resource := apischema.GroupVersionResource{Group: a.Resource.Group, Version: a.Resource.Version, Resource: a.Resource.Resource}
	out := &attributes{Attributes: apiadmission.NewAttributesRecord(
		object, old, kindOf(a.Kind), a.Namespace, a.Name, resource, r.Subresource, apiadmission.Operation(a.Operation),
		optionsOf(a), a.DryRun, userOf(r.User))}
	if ch.options.Audit != nil {
		out.audit = func(key, value string) { ch.options.Audit(r, key, value) }
	}
	return out, &objects{write: a, object: object, version: a.Kind.GroupVersionKind.APIVersion()}
}

func unstructuredOf(v document.Value) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: govalue.Of(v).(map[string]any)}
}

func kindOf(k *schema.Kind) apischema.GroupVersionKind {
	return apischema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

func userOf(u cluster.User) user.Info {
	return &user.DefaultInfo{Name: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
}

// optionsOf returns the options object of a request. For a patch it is UpdateOptions or
// CreateOptions, as for the resulting operation; for a connection there is none.
func optionsOf(a *cluster.Attributes) runtime.Object {
	r := a.Request
	meta := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: kind}
	}
	switch a.Operation {
	case cluster.OperationCreate:
		return &metav1.CreateOptions{TypeMeta: meta("CreateOptions"), DryRun: r.DryRun, FieldManager: r.FieldManager, FieldValidation: r.FieldValidation}
	case cluster.OperationUpdate:
		return &metav1.UpdateOptions{TypeMeta: meta("UpdateOptions"), DryRun: r.DryRun, FieldManager: r.FieldManager, FieldValidation: r.FieldValidation}
	case cluster.OperationConnect:
		return nil
	}
	d := &metav1.DeleteOptions{TypeMeta: meta("DeleteOptions")}
	if a.DryRun {
		d.DryRun = []string{metav1.DryRunAll}
	}
	//lint:ignore SA1019 clients still send it, and webhooks are shown what was sent
	d.GracePeriodSeconds, d.OrphanDependents = a.Deletion.GracePeriodSeconds, a.Deletion.OrphanDependents
	if p := a.Deletion.PropagationPolicy; p != nil {
		policy := metav1.DeletionPropagation(*p)
		d.PropagationPolicy = &policy
	}
	if a.Deletion.UID != nil || a.Deletion.ResourceVersion != nil {
		d.Preconditions = &metav1.Preconditions{UID: (*types.UID)(a.Deletion.UID), ResourceVersion: a.Deletion.ResourceVersion}
	}
	return d
}

// statusOf converts a plugin's error to a Status; nil stays nil.
func statusOf(err error) *cluster.Status {
	if err == nil {
		return nil
	}
	var api apierrors.APIStatus
	var own *cluster.Status
	switch {
	case errors.As(err, &own):
		return own
	case !errors.As(err, &api):
		return &cluster.Status{Code: http.StatusInternalServerError, Message: err.Error(), Err: err}
	}
	s := api.Status()
	out := &cluster.Status{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message, Err: err}
	if s.Code == 0 {
		out.Code = http.StatusInternalServerError
	}
	if d := s.Details; d != nil {
		out.Details = &cluster.StatusDetails{Group: d.Group, Kind: d.Kind, Name: d.Name, UID: string(d.UID), RetryAfterSeconds: int(d.RetryAfterSeconds)}
		for _, c := range d.Causes {
			out.Details.Causes = append(out.Details.Causes, cluster.Cause{Type: string(c.Type), Message: c.Message, Field: c.Field})
		}
	}
	return out
}
