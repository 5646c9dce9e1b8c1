package explain

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	strategy "github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// The size limits in bytes.
const (
	maxAnnotations = 256 << 10  // apimachinery, TotalAnnotationSizeLimitB
	maxStored      = 1536 << 10 // etcd's --max-request-bytes
)

// near reports whether a size exceeds four fifths of a limit.
func near(size, limit int) bool { return size > limit/5*4 }

// usualDepth is a length that most paths do not exceed.
const usualDepth = 16

// walk checks a value and everything below it. The paths of the values in it share memory with each other, so that those
// of findings are copied.
func (l *linter) walk(t *schema.Type, v document.Value, path document.Path) {
	switch v.Kind() {
	case document.Null:
		if !l.live && !l.keepsNull(t) && !isCreationTimestamp(path) {
			l.addUnlessReset(lintNull, path, path.String()+" is null")
		}
	case document.Object:
		l.members(t, v, path)
	case document.List:
		l.items(t, v, path)
	}
}

func (l *linter) members(t *schema.Type, v document.Value, path document.Path) {
	if v.Len() == 0 && len(path) > 0 && !l.live && isMap(t) && !isLabels(path) {
		l.addUnlessReset(lintEmpty, path, path.String()+" is an empty map")
	}
	for name, kid := range v.Members() {
		at := append(path, document.FieldStep(name))
		if len(path) == 1 && path[0] == document.FieldStep("metadata") && name == "managedFields" {
			continue
		}
		var kt *schema.Type
		var f *schema.Field
		if t != nil && t.Map != nil { // otherwise the object is in the place of a scalar or a list
			kt = t.Map.Member(name)
			f = t.Map.Field(name)
			l.mergeKey(f, kid, at)
			def := t.Map.ElemDefault
			if f != nil {
				def = f.Default
			}
			if kid.IsNull() && def == "" && l.refusesNull(kt, path) {
				l.addNull(at)
				continue
			}
		}
		switch {
		case name == "caBundle" && emptyBundle(kid):
			l.add(lintEmptyCABundle, at, at.String()+" is "+kid.String())
		case f != nil && l.unstored(f, kid) && at[0] != document.FieldStep("metadata"):
			l.addUnlessReset(lintUnstored, at, at.String()+" is "+kid.String()+", which the API server does not store")
		}
		l.walk(kt, kid, at)
	}
}

// unstored reports whether the API server stores a scalar in a manifest as a missing field.
func (l *linter) unstored(f *schema.Field, v document.Value) bool {
	switch v.Kind() {
	case document.Bool, document.Number, document.String:
		return !l.live && defaults.Omits(f, v)
	}
	return false
}

// isCreationTimestamp reports whether a path is that of the creation time of an object or of a template for objects.
// Programs in Go, and exported objects, have it as null, which the API server replaces or drops.
func isCreationTimestamp(path document.Path) bool {
	return len(path) >= 2 && slices.Equal(path[len(path)-2:], document.Keys("metadata", "creationTimestamp"))
}

// isLabels reports whether a path is that of the labels or annotations of an object or of a template. Nobody expects an
// empty map to remove those of others, and charts often have one.
func isLabels(path document.Path) bool {
	if len(path) < 2 || path[len(path)-2] != document.FieldStep("metadata") {
		return false
	}
	name := path[len(path)-1]
	return name == document.FieldStep("labels") || name == document.FieldStep("annotations")
}

// refusesNull reports whether an apply is refused if a value of a type below path is null and
// has no default: where the schema of a custom resource declares a type that is not nullable.
func (l *linter) refusesNull(t *schema.Type, path document.Path) bool {
	if t == nil || l.live || l.kind == nil || l.kind.Builtin || len(path) == 0 || path[0] == document.FieldStep("metadata") {
		return false
	}
	return t.Scalar != schema.AnyScalar && !t.Nullable
}

// keepsNull reports whether null is a value of its own: where the schema declares the field nullable, or of
// a custom resource any content, such as the values of a chart in a HelmRelease, in which null removes a
// default of the chart. Without a definition of the kind, any field may be such a one.
func (l *linter) keepsNull(t *schema.Type) bool {
	if t == nil {
		return false
	}
	return t.Nullable || (l.kind == nil || !l.kind.Builtin) && t.Scalar == schema.AnyScalar && t.Map != nil
}

// addNull adds the finding for a null that is refused.
func (l *linter) addNull(path document.Path) {
	l.addUnlessReset(lintType, path, path.String()+" is null, but its schema does not declare it nullable")
}

// isMap reports whether a type is a map from keys to values of one declared type. In an object
// with fields, or with members of any type, being empty may have a meaning, as in emptyDir and
// in the default of a schema.
func isMap(t *schema.Type) bool {
	return t != nil && t.Map != nil && len(t.Map.Fields) == 0 && t.Map.Elem != nil && t.Map.Elem.Scalar != schema.AnyScalar
}

// emptyBundle reports whether a caBundle contains no certificate.
func emptyBundle(v document.Value) bool {
	text, ok := v.Text()
	if !ok {
		return false
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	return err == nil && strings.TrimSpace(string(decoded)) == ""
}

// mergeKey finds items that have the same key for strategic merge and different ones for
// structured merge.
func (l *linter) mergeKey(f *schema.Field, v document.Value, path document.Path) {
	if l.controlled() || f == nil || f.MergeKey == "" || f.Type == nil || f.Type.List == nil || f.Type.List.Kind != schema.KeyedList || len(f.Type.List.Keys) < 2 {
		return
	}
	seen := map[string]string{}
	for i, item := range v.Items() {
		key := item.Get(f.MergeKey).String()
		e, _ := structured.ItemElement(f.Type.List, item)
		if other, ok := seen[key]; ok && other != e {
			l.addUnlessReset(lintSharedMergeKey, path.Item(i), fmt.Sprintf("%s has several items with %s %s", path, f.MergeKey, key))
			return
		}
		seen[key] = e
	}
}

// controlled reports whether a controller writes a live object, such as the Pods and ReplicaSets of a Deployment, which is
// then checked itself.
func (l *linter) controlled() bool { return l.live && strategy.ControllerOf(l.object).Exists() }

func (l *linter) items(t *schema.Type, v document.Value, path document.Path) {
	var list *schema.ListType
	var elem *schema.Type
	if t != nil && t.List != nil {
		list, elem = t.List, t.List.Elem
	}
	if v.Len() == 0 && !l.live && list != nil && t.Scalar != schema.AnyScalar {
		l.addUnlessReset(lintEmpty, path, path.String()+" is an empty list")
	}
	seen := map[string]int{}
	for i, item := range v.Items() {
		at := append(path, document.IndexStep(i))
		if list != nil && list.Kind != schema.AtomicList {
			l.element(list, item, at, path, seen, i)
		}
		if item.IsNull() && list != nil && list.ElemDefault == "" && l.refusesNull(elem, path) {
			l.addNull(at)
			continue
		}
		l.walk(elem, item, at)
	}
}

// element checks the key of a list item.
func (l *linter) element(list *schema.ListType, item document.Value, at, path document.Path, seen map[string]int, i int) {
	e, ok := structured.ItemElement(list, item)
	if !ok {
		l.add(lintMissingKey, at, fmt.Sprintf("%s lacks the key of its list (%s)", at, keyNames(list)))
		return
	}
	if first, twice := seen[e]; twice {
		severity := LevelError
		if l.live {
			severity = LevelWarning
		}
		l.addAs(severity, lintDuplicateItem, at, fmt.Sprintf("%s has the key of %s", at, path.Item(first)))
	}
	seen[e] = i
	for _, key := range list.Keys {
		switch {
		case item.Kind() != document.Object || item.Get(key.Name).Exists() || l.live:
		case key.Default == `""` && l.requires(list, key.Name, path):
			l.addUnlessReset(lintMissingKey, at, fmt.Sprintf("%s lacks %s, the key of its list", at, key.Name))
		case key.Default != "":
			l.addUnlessReset(lintDefaultedKey, at, fmt.Sprintf("%s relies on the default of %s, %s", at, key.Name, key.Default))
		}
	}
}

// requires reports whether validation refuses an empty key of the items of a list. Of a built-in kind, it does unless Go's
// encoding omits the empty key, such as the name in imagePullSecrets. In the schema of a custom resource, an empty default
// is written down, and only in its metadata, which every object has, are keys required.
func (l *linter) requires(list *schema.ListType, key string, path document.Path) bool {
	if l.kind != nil && !l.kind.Builtin && path[0] != document.FieldStep("metadata") {
		return false
	}
	f := list.Elem.Map.Field(key)
	return f == nil || !defaults.Omits(f, document.NewString(""))
}

func keyNames(list *schema.ListType) string {
	names := make([]string, len(list.Keys))
	for i, k := range list.Keys {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// sizes checks the parts of an object that have a size limit.
func (l *linter) sizes() {
	at := document.Keys("metadata", "annotations")
	size := 0
	for name, v := range l.object.Lookup("metadata", "annotations").Members() {
		size += len(name) + len(v.StringOr(""))
	}
	text := fmt.Sprintf("the annotations have %d of %d bytes", size, maxAnnotations)
	switch {
	case size > maxAnnotations:
		l.addAs(LevelError, lintAnnotations, at, text)
	case near(size, maxAnnotations):
		l.add(lintAnnotations, at, text)
	}
	manifest := l.object.JSONLen() + len(fieldmanager.LastApplied) + 1
	has := l.object.Lookup("metadata", "annotations", fieldmanager.LastApplied).Exists()
	if l.object.Lookup("metadata", "managedFields").Len() == 0 && !has && size+manifest > maxAnnotations && size <= maxAnnotations {
		l.add(lintLastAppliedSize, nil, fmt.Sprintf("as an annotation the manifest would have %d bytes; %d are available", manifest, maxAnnotations-size))
	}
	stored, owners := l.object.JSONLen(), l.object.Lookup("metadata", "managedFields")
	managed := 0
	if owners.Exists() {
		managed = owners.JSONLen()
	}
	text = fmt.Sprintf("the object has %d of %d bytes, of which %d are managedFields", stored, maxStored, managed)
	switch {
	case stored > maxStored:
		l.addAs(LevelError, lintObjectSize, nil, text)
	case near(stored, maxStored):
		l.add(lintObjectSize, nil, text)
	}
}

// dataSize checks the size of the data of a ConfigMap or Secret, to which its keys do not count.
func (l *linter) dataSize() {
	if l.kind == nil || l.kind.Group != "" || l.kind.Kind != "ConfigMap" && l.kind.Kind != "Secret" {
		return
	}
	size := 0
	for _, field := range [...]string{"data", "binaryData", "stringData"} {
		encoded := field == "binaryData" || field == "data" && l.kind.Kind == "Secret"
		for _, v := range l.object.Get(field).Members() {
			text := v.StringOr("")
			if encoded {
				size += strategy.DecodedLen(text)
			} else {
				size += len(text)
			}
		}
	}
	if size > strategy.MaxData {
		l.add(lintDataSize, nil, fmt.Sprintf("the data has %d bytes; the limit is %d", size, strategy.MaxData))
	}
}

// manifest finds fields in a manifest that only live objects should have.
func (l *linter) manifest() {
	metadata := l.object.Get("metadata")
	if metadata.Get("name").StringOr("") == "" && l.object.Get("kind").Exists() {
		l.add(lintNoName, document.Keys("metadata"), "metadata.name is required for an apply")
	}
	var exported []string // an exported object has all of them, so that they are one finding
	for _, name := range [...]string{"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"} {
		if v := metadata.Get(name); v.Exists() && !v.IsNull() {
			exported = append(exported, name)
		}
	}
	switch n := len(exported); n {
	case 0:
	case 1:
		l.add(lintServerField, document.Keys("metadata", exported[0]), "metadata."+exported[0]+" is set by the API server")
	default:
		l.add(lintServerField, document.Keys("metadata", exported[0]), "metadata."+strings.Join(exported[:n-1], ", metadata.")+" and metadata."+exported[n-1]+" are set by the API server")
	}
	if metadata.Get("annotations").Get(fieldmanager.LastApplied).Exists() {
		l.add(lintLastApplied, lastApplied, "the manifest contains the last-applied-configuration annotation")
	}
	if texts := l.object.Get("stringData"); texts.Len() > 0 && l.kind != nil && l.kind.Builtin {
		l.add(lintStringData, document.Keys("stringData"), "stringData is moved to data")
	}
	for _, field := range l.resetBy() {
		keys := strings.Split(field, ".")
		if v := l.object.Lookup(keys...); v.Exists() && keys[0] != "metadata" {
			l.add(lintResetField, document.Keys(keys...), field+" is reset to its live value")
		}
	}
}

// scaleTarget identifies a workload that an autoscaler scales.
type scaleTarget struct{ group, kind, namespace, name string }

// scaled maps the workloads that the autoscalers among objects scale to the names of the
// autoscalers.
func scaled(objects []document.Value) map[scaleTarget]string {
	targets := map[scaleTarget]string{}
	for _, v := range objects {
		if v.Get("kind").StringOr("") != "HorizontalPodAutoscaler" {
			continue
		}
		ref := v.Lookup("spec", "scaleTargetRef")
		group, _, _ := schema.SplitAPIVersion(ref.Get("apiVersion").StringOr(""))
		targets[scaleTarget{group, ref.Get("kind").StringOr(""), namespaceOf(v), ref.Get("name").StringOr("")}] = v.Lookup("metadata", "name").StringOr("")
	}
	return targets
}

func namespaceOf(v document.Value) string {
	return v.Lookup("metadata", "namespace").StringOr("default")
}

// scaled checks a manifest against the autoscalers in the same set.
func (l *linter) scaled(targets map[scaleTarget]string) {
	group, _, _ := schema.SplitAPIVersion(l.object.Get("apiVersion").StringOr(""))
	target := scaleTarget{group, l.object.Get("kind").StringOr(""), namespaceOf(l.object), l.object.Lookup("metadata", "name").StringOr("")}
	if by, ok := targets[target]; ok && l.object.Lookup("spec", "replicas").Exists() {
		l.add(lintReplicas, document.Keys("spec", "replicas"), fmt.Sprintf("spec.replicas is set, and HorizontalPodAutoscaler %q scales the %s", by, target.kind))
	}
}
