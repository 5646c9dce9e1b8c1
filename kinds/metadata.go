package kinds

import (
	"slices"
	"strings"
	"unicode"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// Finalizers of Kubernetes itself; all others have a domain.
const (
	FinalizerOrphan     = "orphan"
	FinalizerForeground = "foregroundDeletion"
	finalizerKubernetes = "kubernetes"
)

// PathSegmentName is the [NameRule] that all names must meet: they are path segments of URLs.
func PathSegmentName(name string, prefix bool) string { return segmentName(name, prefix) }

// SubdomainName is the [NameRule] of most kinds: a DNS subdomain (RFC 1123).
func SubdomainName(name string, prefix bool) string { return subdomainName(name, prefix) }

// ValidateMetadata validates the metadata of an object whose name is final (apimachinery's
// ValidateObjectMeta) by the rules of a catalog's Kubernetes version; nil is
// schema.DefaultVersion. managedFields are validated by [ValidateManagedFields].
func ValidateMetadata(catalog *schema.Catalog, object document.Value, namespaced bool, rule NameRule) []schema.FieldError {
	c := newCheck(nil, "", object)
	c.catalog = catalog
	defer c.release()
	c.metadata(c.root(object).get("metadata"), namespaced, rule)
	return c.errs
}

// ValidatePathSegments validates name and generateName by the rule of all kinds, which a create
// applies to an object that is otherwise valid (apiserver's rest.BeforeCreate).
func ValidatePathSegments(object document.Value) []schema.FieldError {
	c := newCheck(nil, "", object)
	defer c.release()
	metadata := c.root(object).get("metadata")
	c.nameRule(metadata.get("generateName"), true, segmentName)
	c.nameRule(metadata.get("name"), false, segmentName)
	return c.errs
}

// ValidateMetadata validates the metadata of an object of the resource: like the function
// ValidateMetadata, and in addition the domains of finalizers.
func (s *Strategy) ValidateMetadata(catalog *schema.Catalog, object document.Value, namespaced bool) []schema.FieldError {
	c := newCheck(nil, "", object)
	c.catalog = catalog
	defer c.release()
	metadata := c.root(object).get("metadata")
	c.metadata(metadata, namespaced, s.nameIn(catalog))
	if !s.AnyFinalizer {
		c.finalizerDomains(metadata.get("finalizers"))
	}
	return c.errs
}

// The maximum lengths in managedFields (apimachinery's FieldManagerMaxLength and
// MaxSubresourceNameLength).
const (
	maxManager     = 128
	maxSubresource = 256
)

// ControllerOf returns the entry of metadata.ownerReferences that names the controller which manages an object, such as
// the ReplicaSet of a Pod. It does not exist for an object without one.
func ControllerOf(object document.Value) document.Value {
	for _, owner := range object.Lookup("metadata", "ownerReferences").Items() {
		if controls, _ := owner.Get("controller").Bool(); controls {
			return owner
		}
	}
	return document.Value{}
}

// IsManager reports whether an entry of managedFields can have a manager of that name and that
// subresource.
func IsManager(name, subresource string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return len(name) <= maxManager && len(subresource) <= maxSubresource && strings.IndexFunc(name, unprintable) < 0
}

// ValidateManagedFields validates the value of metadata.managedFields (apimachinery's
// ValidateManagedFields).
func ValidateManagedFields(managed document.Value) []schema.FieldError {
	object := document.NewObject().With("metadata", document.NewObject().With("managedFields", managed))
	c := newCheck(nil, "", object)
	defer c.release()
	c.managedFields(c.root(object).get("metadata").get("managedFields"))
	return c.errs
}

func (c *check) managedFields(list field) {
	for i := range list.items() {
		entry := list.item(i)
		switch operation := entry.get("operation"); operation.text() {
		case "Apply", "Update":
		default:
			c.invalidText(operation, operation.text(), "must be `Apply` or `Update`")
		}
		if fieldsType := entry.get("fieldsType"); fieldsType.text() != "" && fieldsType.text() != "FieldsV1" {
			c.invalid(fieldsType, "must be `FieldsV1`")
		}
		c.manager(entry.get("manager"))
		if subresource := entry.get("subresource"); len(subresource.text()) > maxSubresource {
			c.tooLong(subresource, maxSubresource)
		}
	}
}

// manager validates the name of a manager. Each character that is not printable is an error.
func (c *check) manager(name field) {
	text := name.text()
	if len(text) > maxManager {
		c.tooLong(name, maxManager)
		text = text[:maxManager] // each error quotes the name, so this limits the response
	}
	for i, char := range text {
		if !unicode.IsPrint(char) {
			c.invalidText(name, text, names.Unprintable(char, i))
		}
	}
}

// ValidateMetadataUpdate validates changes of metadata (apimachinery's
// ValidateObjectMetaUpdate). Labels, annotations and owner references are validated by
// ValidateMetadata.
func ValidateMetadataUpdate(object, old document.Value) []schema.FieldError {
	c := newCheck(nil, "", object)
	defer c.release()
	c.metadataChange(c.root(object).get("metadata"), c.root(old).get("metadata"))
	return c.errs
}

func (c *check) metadataChange(metadata, was field) {
	if was.get("deletionTimestamp").isSet() {
		c.noNewFinalizers(metadata.get("finalizers"), was.get("finalizers"))
	}
	if version := metadata.get("resourceVersion"); version.text() == "" {
		c.invalidText(version, "", "must be specified for an update")
	}
	if generation := metadata.get("generation"); generation.number() < was.get("generation").number() {
		c.invalid(generation, "must not be decremented")
	}
	for _, name := range [...]string{"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		if is := metadata.get(name); !document.Equal(is.Value, was.Get(name)) {
			c.invalidChange(is, isImmutable)
		}
	}
}

func (c *check) metadata(metadata field, namespaced bool, rule NameRule) {
	if prefix := metadata.get("generateName"); prefix.text() != "" {
		c.nameRule(prefix, true, rule)
	}
	if name := metadata.get("name"); name.text() == "" {
		c.required(name, "name or generateName is required")
	} else {
		c.nameRule(name, false, rule)
	}
	switch namespace := metadata.get("namespace"); {
	case !namespaced && namespace.text() != "":
		c.forbidden(namespace, "not allowed on this type")
	case namespaced:
		c.needSyntax(namespace, names.DNSLabel)
	}
	c.minimum(metadata.get("generation"), 0)
	c.labels(metadata.get("labels"))
	c.annotations(metadata.get("annotations"))
	c.owners(metadata.get("ownerReferences"))
	c.finalizers(metadata.get("finalizers"))
}

func (c *check) nameRule(name field, prefix bool, rule NameRule) {
	if why := rule(name.text(), prefix); why != "" {
		c.unmet(name, why)
	}
}

// owners validates owner references. Before Kubernetes 1.37, errors are reported without the
// index, and an absent part is invalid and not required.
func (c *check) owners(list field) {
	indexed := c.catalog.Since("1.37")
	controller := ""
	for i := range list.items() {
		ref := list.hiddenItem(i)
		if indexed {
			ref = list.item(i)
		}
		version, kind, name := ref.get("apiVersion"), ref.get("kind"), ref.get("name")
		_, v, ok := schema.SplitAPIVersion(version.text())
		switch valid := ok && v != ""; {
		case indexed && version.text() == "":
			c.required(version, "must not be empty")
		case indexed && !valid:
			c.invalid(version, "must be <group>/<version> or <version>")
		case !valid:
			c.invalidText(version, version.text(), "version must not be empty")
		}
		for _, part := range [...]field{kind, name, ref.get("uid")} {
			switch {
			case part.text() != "":
			case indexed:
				c.required(part, "must not be empty")
			default:
				c.invalidText(part, "", "must not be empty")
			}
		}
		if version.text() == "v1" && kind.text() == "Event" {
			c.invalid(ref, "/v1, Kind=Event is disallowed from being an owner")
		}
		if !ref.get("controller").isTrue() {
			continue
		}
		this := kind.text() + "/" + name.text()
		if controller == "" {
			controller = this
		} else {
			c.invalid(list, "Only one reference can have Controller set to true. Found \"true\" in references for "+controller+" and "+this)
		}
	}
}

func (c *check) finalizers(list field) {
	for i := range list.items() {
		name := list.At(i).StringOr("")
		if why := names.QualifiedName(name); why != "" {
			c.unmetText(list, name, why)
		}
	}
	if hasText(list.Value, FinalizerOrphan) && hasText(list.Value, FinalizerForeground) {
		c.invalid(list, "finalizer "+FinalizerOrphan+" and "+FinalizerForeground+" cannot be both set")
	}
}

// finalizerDomains requires a domain for all finalizers except those of Kubernetes itself
// (k8s.io/kubernetes/pkg/apis/core/validation, ValidateObjectMeta).
func (c *check) finalizerDomains(list field) {
	for i := range list.items() {
		switch name := list.item(i); name.text() {
		case FinalizerOrphan, FinalizerForeground, finalizerKubernetes:
		default:
			if !strings.Contains(name.text(), "/") {
				c.invalid(name, "name is neither a standard finalizer name nor is it fully qualified")
			}
		}
	}
}

// noNewFinalizers forbids adding finalizers to an object that is being deleted.
func (c *check) noNewFinalizers(list, was field) {
	var added []string
	had := textsOf(was.Value)
	for i := range list.items() {
		if name := list.At(i).StringOr(""); !had.has(name) {
			added = append(added, name)
		}
	}
	if len(added) > 0 {
		slices.Sort(added)
		c.forbidden(list, "no new finalizers can be added if the object is being deleted, found new finalizers []string{"+quoted(slices.Compact(added))+"}")
	}
}
