package defaults

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// Fill returns a manifest as the API server would store it when it is created,
// as far as that can be known: decoded, with its defaults and with what the
// strategy of its kind fills in. Left out are the status, unless the manifest
// has one, and the metadata that only a request has. A custom resource has the
// defaults of its schema. An error is a *DecodeError.
func (r *Rules) Fill(k *schema.Kind, v document.Value, o Options) (document.Value, error) {
	if !k.Builtin {
		pruned, _ := structural.Prune(k.Type(), v)
		return structural.Default(k.Type(), pruned), nil
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

// serverMeta is the metadata that the API server makes.
var serverMeta = [...]string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
	"generation", "managedFields", "resourceVersion", "selfLink", "uid",
}

// ownAnnotations are annotations that the API server, its controllers and
// kubectl keep for themselves.
var ownAnnotations = [...]string{
	templateGeneration,
	"deployment.kubernetes.io/revision",
	"kubectl.kubernetes.io/last-applied-configuration",
}

// WithoutOwned returns an object without what the API server owns in it: the
// status, the metadata that it makes (uid, resourceVersion, generation,
// creationTimestamp, managedFields and so on), annotations that it, its
// controllers and kubectl keep for themselves, a Job's generated selector and
// labels, what a Pod's matchLabelKeys put into its selectors, and who asked for a
// CertificateSigningRequest.
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

// withoutJobLabels takes out of a Job what the API server makes of its uid and
// name, unless it selects by itself.
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
