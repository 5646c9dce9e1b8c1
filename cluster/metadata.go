package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// The rules for an object's metadata, as apimachinery's validation has them
// (ValidateObjectMeta, ValidateObjectMetaUpdate; Kubernetes 1.36). Paths of
// causes are apimachinery's.

// maxAnnotations is how long all annotations may be together, in bytes.
const maxAnnotations = 256 << 10

const (
	finalizerOrphan     = "orphan"
	finalizerForeground = "foregroundDeletion"
	finalizerKubernetes = "kubernetes"
)

// nameRule judges an object's name, or with prefix what a generated name begins
// with; it returns what is wanted, "" for a good one.
type nameRule func(name string, prefix bool) string

func subdomainName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSSubdomain(name)
}

func labelName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSLabel(name)
}

func segmentName(name string, prefix bool) string {
	if prefix {
		return names.PathSegmentPrefix(name)
	}
	return names.PathSegment(name)
}

// checkMetadata judges the metadata of an object whose names are final. The
// managedFields are the server's own and not looked at.
func checkMetadata(object document.Value, namespaced bool, rule nameRule) []Cause {
	var causes []Cause
	if prefix := meta(object, "generateName"); prefix != "" {
		if why := firstOf(rule(prefix, true), segmentName(prefix, true)); why != "" {
			causes = append(causes, invalidValue("metadata.generateName", strconv.Quote(prefix), why))
		}
	}
	name := meta(object, "name")
	if name == "" {
		causes = append(causes, required("metadata.name", "name or generateName is required"))
	} else if why := firstOf(rule(name, false), segmentName(name, false)); why != "" {
		causes = append(causes, invalidValue("metadata.name", strconv.Quote(name), why))
	}
	namespace := meta(object, "namespace")
	switch {
	case !namespaced && namespace != "":
		causes = append(causes, forbidden("metadata.namespace", "objects of this kind have no namespace"))
	case namespaced && namespace == "":
		causes = append(causes, required("metadata.namespace", ""))
	case namespaced:
		if why := names.DNSLabel(namespace); why != "" {
			causes = append(causes, invalidValue("metadata.namespace", strconv.Quote(namespace), why))
		}
	}
	if n := metaInt(object, "generation"); n < 0 {
		causes = append(causes, invalidValue("metadata.generation", strconv.FormatInt(n, 10), "must be 0 or more"))
	}
	causes = append(causes, checkLabels(object)...)
	causes = append(causes, checkAnnotations(object)...)
	causes = append(causes, checkOwners(object)...)
	return append(causes, checkFinalizers(object)...)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func checkLabels(object document.Value) []Cause {
	var causes []Cause
	for key, value := range object.Get("metadata").Get("labels").Members() {
		if why := names.QualifiedName(key); why != "" {
			causes = append(causes, invalidValue("metadata.labels", strconv.Quote(key), why))
		}
		text := value.StringOr("")
		if why := names.LabelValue(text); why != "" {
			causes = append(causes, invalidValue("metadata.labels", strconv.Quote(text), why))
		}
	}
	return causes
}

func checkAnnotations(object document.Value) []Cause {
	var causes []Cause
	size := 0
	for key, value := range object.Get("metadata").Get("annotations").Members() {
		if why := names.QualifiedName(strings.ToLower(key)); why != "" {
			causes = append(causes, invalidValue("metadata.annotations", strconv.Quote(key), why))
		}
		size += len(key) + len(value.StringOr(""))
	}
	if size > maxAnnotations {
		causes = append(causes, tooLong("metadata.annotations", maxAnnotations))
	}
	return causes
}

func checkOwners(object document.Value) []Cause {
	const field = "metadata.ownerReferences"
	var causes []Cause
	controller, controllers := "", 0
	refs := object.Get("metadata").Get("ownerReferences")
	if refs.Kind() != document.List {
		return nil
	}
	for _, ref := range refs.Items() {
		version, kind := ref.Get("apiVersion").StringOr(""), ref.Get("kind").StringOr("")
		name := ref.Get("name").StringOr("")
		if version == "" || strings.HasSuffix(version, "/") {
			causes = append(causes, invalidValue(field+".apiVersion", strconv.Quote(version), "the version must not be empty"))
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if ref.Get(key).StringOr("") == "" {
				causes = append(causes, invalidValue(field+"."+key, `""`, "must not be empty"))
			}
		}
		if version == "v1" && kind == "Event" {
			causes = append(causes, invalidValue(field, ref.String(), "an Event may own nothing"))
		}
		if yes, _ := ref.Get("controller").Bool(); yes {
			controllers++
			switch controllers {
			case 1:
				controller = kind + "/" + name
			case 2: // of a third nothing is said: each cause holds the whole list
				causes = append(causes, invalidValue(field, refs.String(),
					"only one reference may be the controller, and both "+controller+" and "+kind+"/"+name+" are"))
			}
		}
	}
	return causes
}

// checkStandardFinalizers refuses finalizers without a domain, but those that
// Kubernetes itself has (k8s.io/kubernetes/pkg/apis/core/validation,
// ValidateObjectMeta), but in the groups whose validation is apimachinery's alone.
func checkStandardFinalizers(k *schema.Kind, object document.Value) []Cause {
	switch k.Group {
	case "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io":
		return nil
	}
	var causes []Cause
	for i, name := range finalizers(object) {
		switch name {
		case finalizerOrphan, finalizerForeground, finalizerKubernetes:
			continue
		}
		if !strings.Contains(name, "/") {
			causes = append(causes, invalidValue("metadata.finalizers["+strconv.Itoa(i)+"]", strconv.Quote(name),
				"must have a domain and '/' before the name, or be one of "+finalizerOrphan+", "+finalizerForeground+" and "+finalizerKubernetes))
		}
	}
	return causes
}

func checkFinalizers(object document.Value) []Cause {
	const field = "metadata.finalizers"
	var causes []Cause
	orphan, foreground := false, false
	for _, name := range finalizers(object) {
		if why := names.QualifiedName(name); why != "" {
			causes = append(causes, invalidValue(field, strconv.Quote(name), why))
		}
		orphan = orphan || name == finalizerOrphan
		foreground = foreground || name == finalizerForeground
	}
	if orphan && foreground {
		causes = append(causes, invalidValue(field, object.Get("metadata").Get("finalizers").String(),
			finalizerOrphan+" and "+finalizerForeground+" contradict each other"))
	}
	return causes
}

// checkMetadataUpdate judges what an update changes in the metadata. Labels,
// annotations and owners are judged by checkMetadata.
func checkMetadataUpdate(next, live document.Value) []Cause {
	var causes []Cause
	if hasMeta(live, "deletionTimestamp") {
		if added := newFinalizers(next, live); len(added) > 0 {
			causes = append(causes, forbidden("metadata.finalizers",
				"no new finalizers can be added if the object is being deleted, found new finalizers "+strings.Join(added, ", ")))
		}
	}
	if meta(next, "resourceVersion") == "" {
		causes = append(causes, invalidValue("metadata.resourceVersion", `""`, "must be specified for an update"))
	}
	if metaInt(next, "generation") < metaInt(live, "generation") {
		causes = append(causes, invalidValue("metadata.generation",
			strconv.FormatInt(metaInt(next, "generation"), 10), "must not be decremented"))
	}
	for _, key := range [...]string{"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		was, is := live.Get("metadata").Get(key), next.Get("metadata").Get(key)
		if !document.Equal(was, is) {
			causes = append(causes, invalidValue("metadata."+key, is.String(), "field is immutable"))
		}
	}
	return causes
}

func newFinalizers(next, live document.Value) []string {
	had := map[string]bool{}
	for _, name := range finalizers(live) {
		had[name] = true
	}
	var added []string
	for _, name := range finalizers(next) {
		if !had[name] {
			added = append(added, strconv.Quote(name))
			had[name] = true
		}
	}
	return added
}
