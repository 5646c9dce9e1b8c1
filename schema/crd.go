package schema

import (
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// CRD is a parsed CustomResourceDefinition (apiextensions.k8s.io/v1).
type CRD struct {
	// Name is metadata.name, such as "widgets.lab.example.com".
	Name string
	// Group and the names from spec.names.
	Group, Kind, ListKind, Plural, Singular string
	ShortNames, Categories                  []string
	Namespaced                              bool
	// Kinds holds the served versions in discovery order, which is Kubernetes' version
	// priority: v2 before v1 before v1beta1.
	Kinds []*Kind
	// Declared holds all versions, served or not, in the order of spec.versions.
	Declared []*Kind
	// Stored is the name of the storage version.
	Stored string
	// Conversion is the conversion strategy, "None" or "Webhook".
	Conversion string
	// Terminating reports that the definition and its objects are being deleted, so that no new ones can
	// be created. FromCRD leaves it false; package cluster sets it.
	Terminating bool
	// Object is the definition as given to FromCRD.
	Object document.Value
}

// ErrInvalidCRD is the cause of all errors of FromCRD.
var ErrInvalidCRD = errors.New("invalid CustomResourceDefinition")

// InvalidCRD lists the errors in a CustomResourceDefinition in source order. It wraps
// ErrInvalidCRD.
type InvalidCRD struct {
	Name   string
	Errors []FieldError
}

// Error returns the first error and the number of further ones.
func (e *InvalidCRD) Error() string {
	s := ErrInvalidCRD.Error() + " " + strconv.Quote(e.Name)
	if len(e.Errors) > 0 {
		s += ": " + e.Errors[0].Error()
	}
	if more := len(e.Errors) - 1; more > 0 {
		s += " (and " + strconv.Itoa(more) + " more)"
	}
	return s
}

// Unwrap returns ErrInvalidCRD.
func (e *InvalidCRD) Unwrap() error { return ErrInvalidCRD }

// FromCRD parses a CustomResourceDefinition of apiextensions.k8s.io/v1:
//
//  1. Optional names are defaulted: singular is the kind in lower case, listKind
//     is the kind followed by List.
//  2. Every version must have a structural schema
//     (https://kubernetes.io/docs → CustomResourceDefinitions → structural
//     schema). CEL rules are kept but not compiled; defaults are not validated
//     against the schema.
//  3. apiVersion, kind and metadata have the types of all objects; the schema's
//     own description of them is used for validation only. The same applies
//     below x-kubernetes-embedded-resource.
//
// An error is an *InvalidCRD.
func FromCRD(v document.Value) (*CRD, error) {
	r := crdReader{name: v.Lookup("metadata", "name").StringOr("")}
	crd := r.read(v)
	if len(r.errs) > 0 {
		return nil, &InvalidCRD{Name: r.name, Errors: r.errs}
	}
	return crd, nil
}

type crdReader struct {
	checker
	name string
	meta *Type // ObjectMeta
}

func (r *crdReader) read(v document.Value) *CRD {
	root := place{}
	if g, k := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr(""); g != "apiextensions.k8s.io/v1" || k != "CustomResourceDefinition" {
		r.add(ErrorInvalid, root.child("kind"), v.Get("kind"), "want apiextensions.k8s.io/v1, Kind=CustomResourceDefinition, got "+GroupVersionKind{"", g, k}.String())
		return nil
	}
	catalog, err := Builtin("")
	if err != nil {
		r.add(ErrorInvalid, root, document.Value{}, err.Error())
		return nil
	}
	r.meta, _ = catalog.Named(objectMetaName)
	spec, at := v.Get("spec"), root.child("spec")
	if spec.Kind() != document.Object {
		r.add(ErrorRequired, at, document.Value{}, "")
		return nil
	}
	if r.name != spec.Lookup("names", "plural").StringOr("")+"."+spec.Get("group").StringOr("") {
		r.add(ErrorInvalid, root.child("metadata").child("name"), document.NewString(r.name), `must be spec.names.plural+"."+spec.group`)
	}
	crd := r.names(spec, at)
	crd.Name = r.name
	crd.Object = v
	crd.Conversion = spec.Lookup("conversion", "strategy").StringOr("None")
	r.versions(crd, spec.Get("versions"), at.child("versions"))
	return crd
}

// deprecationOf returns the default warning of a deprecated version. It recommends the
// preferred version among the newer served ones that are not deprecated
// (apiextensions-apiserver, defaultDeprecationWarning).
func deprecationOf(crd *CRD, version string) string {
	warning := APIVersion(crd.Group, version) + " " + crd.Kind + " is deprecated"
	successor := ""
	for _, v := range crd.Object.Lookup("spec", "versions").Items() {
		name := v.Get("name").StringOr("")
		if flag(v, "served") && !flag(v, "deprecated") && VersionBefore(name, version) && (successor == "" || VersionBefore(name, successor)) {
			successor = name
		}
	}
	if successor == "" {
		return warning
	}
	return warning + "; use " + APIVersion(crd.Group, successor) + " " + crd.Kind
}

func (r *crdReader) names(spec document.Value, at place) *CRD {
	names, namesAt := spec.Get("names"), at.child("names")
	crd := &CRD{
		Group:      r.required(spec, at, "group"),
		Kind:       r.required(names, namesAt, "kind"),
		Plural:     r.required(names, namesAt, "plural"),
		ListKind:   names.Get("listKind").StringOr(""),
		Singular:   names.Get("singular").StringOr(""),
		ShortNames: names.Get("shortNames").Strings(),
		Categories: names.Get("categories").Strings(),
	}
	if crd.ListKind == "" && crd.Kind != "" {
		crd.ListKind = crd.Kind + "List"
	}
	if crd.Singular == "" {
		crd.Singular = strings.ToLower(crd.Kind)
	}
	if crd.Kind == "" { // the other names are derived from it
		r.required(names, namesAt, "listKind")
		r.required(names, namesAt, "singular")
	}
	switch scope := r.required(spec, at, "scope"); scope {
	case "", "Cluster":
	case "Namespaced":
		crd.Namespaced = true
	default:
		r.add(ErrorNotSupported, at.child("scope"), spec.Get("scope"), `supported values: "Cluster", "Namespaced"`)
	}
	return crd
}

// required returns the text of a required member, or records an error.
func (r *crdReader) required(v document.Value, at place, name string) string {
	text := v.Get(name).StringOr("")
	if text == "" {
		r.add(ErrorRequired, at.child(name), document.Value{}, "")
	}
	return text
}

func (r *crdReader) versions(crd *CRD, list document.Value, at place) {
	seen := map[string]bool{}
	stored := 0
	shared := sharedParts(list)
	for i, v := range list.Items() {
		here := at.index(i)
		name := v.Get("name").StringOr("")
		if seen[name] {
			r.add(ErrorInvalid, at, document.Value{}, "must contain unique version names")
		}
		seen[name] = true
		k := r.version(crd, v, here, shared, i == 0)
		k.Version, k.Definition = name, crd
		crd.Declared = append(crd.Declared, k)
		if flag(v, "served") {
			crd.Kinds = append(crd.Kinds, k)
		}
		if k.Storage {
			stored++
			crd.Stored = name
		}
	}
	if stored != 1 {
		r.add(ErrorInvalid, at, document.Value{}, "must have exactly one version marked as storage version")
	}
	sort.SliceStable(crd.Kinds, func(i, j int) bool { return VersionBefore(crd.Kinds[i].Version, crd.Kinds[j].Version) })
}

// shared records which parts are equal in all versions of a CRD. kube-apiserver's internal
// type stores these beside the versions, as v1beta1 did, so its messages use the field
// paths of v1beta1.
type shared struct{ schema, subresources, columns, selectable, status bool }

func sharedParts(versions document.Value) shared {
	same := func(name string) bool {
		for _, v := range versions.Items() {
			if a, b := versions.At(0).Get(name), v.Get(name); !document.Equal(a, b) && (isGiven(a) || isGiven(b)) {
				return false
			}
		}
		return true
	}
	s := shared{schema: same("schema"), subresources: same("subresources"), columns: same("additionalPrinterColumns"), selectable: same("selectableFields")}
	for _, v := range versions.Items() {
		s.status = s.status || v.Lookup("subresources", "status").Kind() == document.Object
	}
	return s
}

// version parses one version. Shared parts are validated only in the first.
func (r *crdReader) version(crd *CRD, v document.Value, at place, shared shared, first bool) *Kind {
	k := &Kind{
		GroupVersionKind: GroupVersionKind{Group: crd.Group, Kind: crd.Kind},
		Resource:         crd.Plural, Singular: crd.Singular, ListKind: crd.ListKind,
		ShortNames: crd.ShortNames, Categories: crd.Categories,
		Namespaced: crd.Namespaced,
		Verbs:      []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
		Storage:    flag(v, "storage"),
		Deprecated: flag(v, "deprecated"),
		Columns:    columns(v.Get("additionalPrinterColumns")),
	}
	if k.Deprecated {
		k.Warning = v.Get("deprecationWarning").StringOr("")
		if k.Warning == "" {
			k.Warning = deprecationOf(crd, v.Get("name").StringOr(""))
		}
	}
	for _, f := range v.Get("selectableFields").Items() {
		k.Selectable = append(k.Selectable, f.Get("jsonPath").StringOr(""))
	}
	subresources := at.child("subresources")
	if shared.subresources {
		subresources = subresources.shownAs("spec.subresources")
	}
	before := len(r.errs)
	r.subresources(k, v.Get("subresources"), v.Get("name").StringOr(""), subresources)
	if shared.subresources && !first {
		r.errs = r.errs[:before]
	}
	r.schema(k, v, at, shared, first)
	r.selectable(v, at, shared, first)
	return k
}

// schema parses the schema of a version.
func (r *crdReader) schema(k *Kind, v document.Value, at place, shared shared, first bool) {
	s, here := v.Lookup("schema", "openAPIV3Schema"), at.child("schema").child("openAPIV3Schema")
	if !s.Exists() || s.IsNull() {
		r.add(ErrorRequired, here, document.Value{}, "")
		return
	}
	hasStatus := v.Lookup("subresources", "status").Kind() == document.Object
	if shared.schema {
		here, hasStatus = at.child("schema").shownAs("spec.validation").child("openAPIV3Schema"), shared.status
	}
	before := len(r.errs)
	r.root(s, here, hasStatus)
	if len(r.errs) > before {
		if shared.schema && !first {
			r.errs = r.errs[:before]
		}
		return // a schema that is not structural is not converted
	}
	k.Rules = countRules(s)
	c := newConverter(document.Value{})
	c.objectMeta = r.meta
	t := c.typeOf(s, mode{})
	if !t.Embedded {
		c.objectFields(t.Map, s, mode{})
	}
	if err := c.finish(); err != nil {
		r.add(ErrorInvalid, here, document.Value{}, err.Error())
	}
	k.typ = t
}

// maxSelectable is the maximum number of selectable fields of a version.
const maxSelectable = 8

// selectable validates the selectable fields: each must be a string, boolean or integer
// outside metadata.
func (r *crdReader) selectable(v document.Value, at place, shared shared, first bool) {
	list, here := v.Get("selectableFields"), at.child("selectableFields")
	s := v.Lookup("schema", "openAPIV3Schema")
	switch {
	case list.Len() == 0 || shared.selectable && !first:
		return
	case !shared.selectable && (shared.schema || s.Kind() != document.Object):
		r.add(ErrorInvalid, here, document.NewString(""), "may only be set when `version.schema.openAPIV3Schema` is not included")
		return
	case s.Kind() != document.Object:
		return
	case shared.selectable:
		here = here.shownAs("spec.selectableFields")
		if !shared.schema {
			r.add(ErrorInvalid, here, document.NewString(""), "may only be set when validations.schema is included")
			return
		}
	}
	seen := map[string]bool{}
	for i, f := range list.Items() {
		path, pathAt := f.Get("jsonPath"), here.index(i).child("jsonPath")
		if path.StringOr("") == "" {
			r.add(ErrorRequired, pathAt, document.Value{}, "")
			continue
		}
		fields, found, err := followFieldPath(path.StringOr(""), s, false)
		if err != nil {
			r.add(ErrorInvalid, pathAt, path, "is an invalid path: "+err.Error())
			continue
		}
		if fields[0] == "metadata" {
			r.add(ErrorInvalid, pathAt, path, "must not point to fields in metadata")
		}
		switch found.Get("type").StringOr("") {
		case "string", "boolean", "integer":
		default:
			r.add(ErrorInvalid, pathAt, path, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
		}
		if name := strings.Join(fields, "."); seen[name] {
			r.add(ErrorDuplicate, pathAt, path, "")
		} else {
			seen[name] = true
		}
	}
	if len(seen) > maxSelectable {
		r.add(ErrorTooMany, here, document.NewInt(int64(len(seen))), "must have at most "+strconv.Itoa(maxSelectable)+" items")
	}
}

// countRules returns the number of validation rules in a schema.
func countRules(s document.Value) int {
	n := 0
	switch s.Kind() {
	case document.Object:
		for key, member := range s.Members() {
			if key == "x-kubernetes-validations" && member.Kind() == document.List {
				n += member.Len()
				continue
			}
			n += countRules(member)
		}
	case document.List:
		for _, item := range s.Items() {
			n += countRules(item)
		}
	}
	return n
}

func (r *crdReader) subresources(k *Kind, v document.Value, version string, at place) {
	verbs := []string{"get", "patch", "update"}
	if scale := v.Get("scale"); scale.Kind() == document.Object {
		here := at.child("scale")
		k.Scale = &Scale{
			SpecReplicasPath:   r.jsonPath(scale, here, "specReplicasPath", true, ".spec."),
			StatusReplicasPath: r.jsonPath(scale, here, "statusReplicasPath", true, ".status."),
			LabelSelectorPath:  r.jsonPath(scale, here, "labelSelectorPath", false, ".spec.", ".status."),
		}
		k.Subresources = append(k.Subresources, Subresource{"scale", GroupVersionKind{"autoscaling", "v1", "Scale"}, verbs})
	}
	if v.Get("status").Kind() == document.Object {
		k.Subresources = append(k.Subresources, Subresource{"status", GroupVersionKind{k.Group, version, k.Kind}, verbs})
	}
	k.noteSubresources()
}

// jsonPath validates one of the scale subresource's paths, which must begin with one of
// prefixes.
func (r *crdReader) jsonPath(scale document.Value, at place, name string, required bool, prefixes ...string) string {
	path := scale.Get(name).StringOr("")
	under := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
	switch {
	case path == "" && required:
		r.add(ErrorRequired, at.child(name), document.Value{}, "")
	case path == "" || slices.ContainsFunc(prefixes, under):
	case path[0] != '.':
		r.add(ErrorInvalid, at.child(name), scale.Get(name), "must be a simple json path starting with .")
	case len(prefixes) > 1:
		r.add(ErrorInvalid, at.child(name), scale.Get(name), "should be a json path under either .spec or .status")
	default:
		r.add(ErrorInvalid, at.child(name), scale.Get(name), "should be a json path under "+strings.TrimSuffix(prefixes[0], "."))
	}
	return path
}

func columns(list document.Value) []Column {
	var out []Column
	for _, c := range list.Items() {
		priority, _ := c.Get("priority").Int()
		out = append(out, Column{
			Name: c.Get("name").StringOr(""), Type: c.Get("type").StringOr(""), Format: c.Get("format").StringOr(""),
			Description: c.Get("description").StringOr(""), JSONPath: c.Get("jsonPath").StringOr(""), Priority: int(priority),
		})
	}
	return out
}
