package defaults

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// Fill returns a manifest as the API server would store it on create, as far as this is
// known without a cluster: decoded, defaulted, and with the fields that the kind's create
// strategy sets. It omits the status unless the manifest has one, and metadata that depends
// on the request. A custom resource has the defaults of its schema. An error is a
// *DecodeError or structural.ErrDefaults.
func (r *Rules) Fill(k *schema.Kind, v document.Value, o Options) (document.Value, error) {
	if !k.Builtin {
		pruned, _ := structural.Prune(k.Type(), v)
		return structural.Default(k.Type(), pruned)
	}
	out, _, err := Decode(k, v, FromJSON)
	if err != nil {
		return v, err
	}
	out = r.Apply(k, out, o)
	filled := r.Apply(k, r.PrepareForCreate(k, out, Request{Now: o.Now}), o)
	status := document.Value{}
	if v.Get("status").Exists() {
		status = out.Get("status")
	}
	return filled.With("status", status), nil
}

// serverMeta lists the metadata that the API server sets.
var serverMeta = [...]string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
	"generation", "managedFields", "resourceVersion", "selfLink", "uid",
}

// ownAnnotations lists annotations that the API server, its controllers and kubectl manage.
var ownAnnotations = [...]string{
	templateGeneration,
	"deployment.kubernetes.io/revision",
	"kubectl.kubernetes.io/last-applied-configuration",
}

// WithoutOwned returns an object without the fields that the API server sets: the status,
// metadata (uid, resourceVersion, generation, creationTimestamp, managedFields and so on),
// annotations managed by the server, its controllers and kubectl, a Job's generated
// selector and labels, the selector terms that come from a Pod's matchLabelKeys, and the
// requester of a CertificateSigningRequest.
func WithoutOwned(k *schema.Kind, v document.Value) document.Value {
	metadata := v.Get("metadata")
	for _, key := range serverMeta {
		metadata = metadata.Without(key)
	}
	annotations := metadata.Get("annotations")
	for _, key := range ownAnnotations {
		annotations = annotations.Without(key)
	}
	if annotations.Exists() && annotations.Len() == 0 {
		metadata = metadata.Without("annotations")
	} else if annotations.Exists() {
		metadata = metadata.With("annotations", annotations)
	}
	if metadata.Exists() {
		v = v.With("metadata", metadata)
	}
	if k.Type().Map.Field("status") != nil {
		v = v.Without("status")
	}
	switch kindName(k) {
	case "/Pod":
		labels := metadata.Get("labels")
		return v.With("spec", inSpread(inAffinity(v.Get("spec"), labels, unselectByKeys), labels, unselectByKeys))
	case "batch/Job":
		return withoutJobLabels(v)
	case "certificates.k8s.io/CertificateSigningRequest":
		return v.With("spec", requester(v.Get("spec"), User{}))
	}
	return v
}

// withoutJobLabels removes the selector and labels that the API server generates from a
// Job's uid and name, unless manualSelector is set.
func withoutJobLabels(v document.Value) document.Value {
	if manual, _ := v.Lookup("spec", "manualSelector").Bool(); manual {
		return v
	}
	for _, place := range [...][]string{
		{"metadata", "labels"}, {"spec", "template", "metadata", "labels"}, {"spec", "selector", "matchLabels"},
	} {
		all := v.Lookup(place...)
		if !all.Exists() {
			continue
		}
		left := all
		for _, key := range [...]string{"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"} {
			left = left.Without(key)
		}
		if left.Len() == 0 && left.Len() < all.Len() {
			left = document.Value{}
		}
		v = v.Set(left, place...)
	}
	if s := v.Lookup("spec", "selector"); s.Exists() && s.Len() == 0 {
		v = v.Remove("spec", "selector")
	}
	return v
}
