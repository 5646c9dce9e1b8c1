package defaults

import (
	"encoding/base64"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// The annotations of apps/v1 that hold fields of older versions.
const (
	templateGeneration = "deprecated.daemonset.template.generation"
	rollbackTo         = "deprecated.deployment.rollback.to"
)

// FieldAnnotations returns the annotations in which the objects of a kind hold fields that the
// API server's internal version has and theirs lacks; nil for most kinds. The internal metadata
// is without them, and so is PartialObjectMetadata.
func FieldAnnotations(k *schema.Kind) []string {
	if !k.Builtin {
		return nil
	}
	switch k.Kind {
	case "DaemonSet":
		return []string{templateGeneration}
	case "Deployment":
		return []string{rollbackTo}
	case "HorizontalPodAutoscaler":
		return roundTrip[:]
	}
	return nil
}

// InternalMetadata returns the metadata of an object without FieldAnnotations.
func InternalMetadata(k *schema.Kind, metadata document.Value) document.Value {
	all := metadata.Get("annotations")
	left := all
	for _, key := range FieldAnnotations(k) {
		left = left.Without(key)
	}
	switch {
	case left.Len() == all.Len():
		return metadata
	case left.Len() == 0:
		return metadata.Without("annotations")
	}
	return metadata.With("annotations", left)
}

// convert converts an object of a named type to the API server's internal version and back
// (pkg/apis/*/v1/conversion.go). sent is the object before it was decoded.
func (d *decoder) convert(t *schema.Type, sent, v document.Value) document.Value {
	switch t.Name {
	case "io.k8s.api.core.v1.PodSpec":
		return alias(v, "serviceAccountName", "serviceAccount")
	case "io.k8s.api.core.v1.Pod":
		if i, ok := v.Lookup("spec", "terminationGracePeriodSeconds").Int(); ok && i < 0 {
			v = v.Set(document.NewInt(1), "spec", "terminationGracePeriodSeconds")
		}
		return dropInitContainers(v)
	case "io.k8s.api.core.v1.PodTemplateSpec":
		return dropInitContainers(v)
	case "io.k8s.api.core.v1.PodStatus":
		return first(v, "podIP", "podIPs", "ip")
	case "io.k8s.api.core.v1.NodeSpec":
		return first(v, "podCIDR", "podCIDRs", "")
	case definitionSpec:
		return d.sharedParts(t, v)
	case "io.k8s.api.core.v1.Secret":
		return stringData(v)
	case "io.k8s.api.apps.v1.DaemonSet":
		return d.annotatedInt(v, templateGeneration, "0")
	case "io.k8s.api.apps.v1.Deployment":
		return d.annotatedInt(v, rollbackTo, "")
	case "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler":
		return autoscaler1(v)
	case "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler":
		return withoutRoundTrip(v)
	case "io.k8s.api.autoscaling.v2.HPAScalingRules":
		// Missing policies are defaulted; an empty list is refused.
		if policies := sent.Get("policies"); policies.Kind() == document.List && policies.Len() == 0 {
			return v.With("policies", policies)
		}
	case "io.k8s.api.apps.v1.StatefulSetSpec":
		return claimTemplates(v)
	case "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion":
		if w := v.Get("webhook"); !w.Get("clientConfig").Exists() && w.Get("conversionReviewVersions").IsNull() {
			return v.Without("webhook")
		}
	}
	return v
}

// alias sets two fields to the same value, that of the first if both are set.
func alias(v document.Value, name, old string) document.Value {
	a, b := v.Get(name), v.Get(old)
	switch {
	case !a.Exists() && b.Exists():
		return v.With(name, b)
	case a.Exists() && !document.Equal(a, b):
		return v.With(old, a)
	}
	return v
}

// first synchronizes a single-valued field with the first item of the list field that
// superseded it, or with a member of that item. If they differ, the single-valued field is
// used.
func first(v document.Value, one, many, member string) document.Value {
	a, all := v.Get(one), v.Get(many)
	var b document.Value
	if all.Len() > 0 {
		if b = all.At(0); member != "" {
			b = b.Get(member)
		}
	}
	switch {
	case !a.Exists() && b.StringOr("") != "":
		return v.With(one, b)
	case a.Exists() && !document.Equal(a, b):
		if member != "" {
			a = document.NewObject().With(member, a)
		}
		return v.With(many, document.NewList(a))
	}
	return v
}

// dropInitContainers removes the annotations that held init containers before the field
// existed.
func dropInitContainers(v document.Value) document.Value {
	all := v.Lookup("metadata", "annotations")
	left := all
	for _, key := range [...]string{
		"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
		"pod.beta.kubernetes.io/init-container-statuses", "pod.alpha.kubernetes.io/init-container-statuses",
	} {
		left = left.Without(key)
	}
	if left.Len() == all.Len() {
		return v
	}
	return withAnnotations(v, left)
}

func withAnnotations(v, annotations document.Value) document.Value {
	if annotations.Len() == 0 {
		annotations = document.Value{}
	}
	return v.Set(annotations, "metadata", "annotations")
}

// stringData merges a Secret's stringData into its data.
func stringData(v document.Value) document.Value {
	from := v.Get("stringData")
	if !from.Exists() {
		return v
	}
	var data document.ObjectBuilder
	for i := range v.Get("data").Len() {
		data.Keep(v.Get("data"), i)
	}
	for key, text := range from.Members() {
		s, _ := text.Text()
		data.SetString(key, base64.StdEncoding.EncodeToString([]byte(s)))
	}
	v = v.Without("stringData")
	if data.Len() == 0 {
		return v
	}
	return v.With("data", data.Object())
}

// annotatedInt normalizes an annotation that holds an integer field of older versions; a
// missing one is set to otherwise.
func (d *decoder) annotatedInt(v document.Value, key, otherwise string) document.Value {
	annotations := v.Lookup("metadata", "annotations")
	s, ok := annotations.Get(key).Text()
	if !ok || s == "" && otherwise == "" {
		if otherwise != "" {
			v = v.Set(document.NewString(otherwise), "metadata", "annotations", key)
		} else if ok {
			v = withAnnotations(v, annotations.Without(key))
		}
		return v
	}
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		d.path = append(d.path, document.Keys("metadata", "annotations", key)...)
		d.fail(annotations.Get(key), "expected a whole number, found "+strconv.Quote(s))
		d.path = d.path[:len(d.path)-3]
		return v
	}
	if want := strconv.FormatInt(i, 10); want != s {
		v = v.Set(document.NewString(want), "metadata", "annotations", key)
	}
	return v
}

// claimTemplates sets apiVersion and kind in a StatefulSet's claim templates.
func claimTemplates(v document.Value) document.Value {
	claims := remake.Items(v.Get("volumeClaimTemplates"), func(_ int, c document.Value) document.Value {
		if c.Get("apiVersion").StringOr("") == "v1" && c.Get("kind").StringOr("") == "PersistentVolumeClaim" {
			return c
		}
		return c.With("apiVersion", document.NewString("v1")).With("kind", document.NewString("PersistentVolumeClaim"))
	})
	if !claims.Exists() || document.SameNode(claims, v.Get("volumeClaimTemplates")) {
		return v
	}
	return v.With("volumeClaimTemplates", claims)
}
