package kinds

import (
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// A Strategy describes what kube-apiserver's registry implements for a resource beyond its
// schema (pkg/registry/*/strategy.go and pkg/apis/*/validation of Kubernetes 1.36). It applies
// to all versions of the resource.
type Strategy struct {
	// Group and Resource name the resource, such as "apps" and "deployments"; the core group is "".
	Group, Resource string
	// Storage is the name of the resource in storage keys, which one error message contains;
	// "" means Resource.
	Storage string
	// Name is the rule for the names of objects.
	Name NameRule
	// formerName is the rule before the Kubernetes version renamed, nil if it is the same.
	formerName NameRule
	renamed    string
	// AnyFinalizer permits finalizers without a domain.
	AnyFinalizer bool
	// MetadataLast validates the metadata of a new object only if the rest of the object is
	// valid, because the resource's own validation does not include the metadata.
	MetadataLast bool
	// GenerateName sets the name of an object without one to a UUID.
	GenerateName bool
	// WholeGenerateName uses generateName as the name, without a suffix.
	WholeGenerateName bool
	// Generation lists the dotted paths whose changes increment metadata.generation;
	// "!metadata" is everything except the metadata. It is nil if the resource has no
	// generations.
	Generation []string
	// ExactGeneration compares these paths by their Go values: an empty list differs from an
	// absent one.
	ExactGeneration bool
	// CountsDropped compares the spec for the generation before the fields of features that are off are
	// dropped: each update with such a field increments it.
	CountsDropped bool
	// Defaulted lists the dotted paths of lists for which the same default is set whether they
	// are absent or empty, so that ExactGeneration does not distinguish these two.
	Defaulted []string
	// Dropped lists the dotted paths of fields that are compared for the generation before
	// they are dropped: each update that contains one increments the generation. A path leads
	// through the items of lists, and "*" is every member of a map.
	Dropped []string
	// NoFirstGeneration does not set the generation of a new object to 1.
	NoFirstGeneration bool
	// CreateOnUpdate permits creating an object by PUT, also through its status, and by an apply
	// of its status.
	CreateOnUpdate bool
	// CreateOnStatusApply permits creating an object by an apply of its status.
	CreateOnStatusApply bool
	// RequireVersion requires a resourceVersion in every update.
	RequireVersion bool
	// ReturnDeleted returns the deleted object in response to a deletion, instead of a Status.
	ReturnDeleted bool
	// OrphanByDefault orphans dependents if a deletion has no propagation policy.
	OrphanByDefault bool
	// OrphanWarning is the warning in response to a deletion without a propagation policy.
	OrphanWarning string
	// NotCollected excludes the resource from garbage collection: a deletion removes the
	// finalizers of the garbage collector, regardless of its propagation policy.
	NotCollected bool
	// Uncached is true if kube-apiserver reads the objects from its store and not from a cache:
	// a read of a future resourceVersion is refused without Retry-After, and the limit of a
	// list has effect with resourceVersion 0.
	Uncached bool
	// CoreKind is true if the internal version of the kind is still in the core group, which
	// refusals of preconditions name.
	CoreKind bool
	// Undeletable returns why an object with a name cannot be deleted by this name, "" if it
	// can; nil for resources without such objects.
	Undeletable func(name string) string
	// ZeroNumbers lists the dotted paths of numbers that are 0 in an empty object, although
	// the field is optional: the internal version has no pointer there.
	ZeroNumbers []string
	// Graceful permits a grace period for deletions.
	Graceful bool
	// StorageVersion is the apiVersion in which objects are stored, "" for that of the write. It
	// is set where the versions differ in more than their name: an object written through one
	// and then through another is changed if it differs as stored.
	StorageVersion string
	// Reset lists the dotted paths that a write of the object does not change, and ResetStatus
	// those that a write of its status does not change.
	Reset, ResetStatus []string
	// Deprecated is the warning in every response, as of Kubernetes 1.36.
	Deprecated string
	// Embedded is true if the schema of a custom resource contains
	// x-kubernetes-embedded-resource.
	Embedded bool
	// Selectable lists the fields that field selectors support beyond metadata.name and
	// metadata.namespace, sorted by label.
	Selectable []SelectableField

	// Repeats is true if a cause that several validations find is repeated also from Kubernetes
	// 1.37 on.
	Repeats bool
	// Emptied is true if the contents of an object are deleted before it, and its
	// spec.finalizers delay its deletion until then, as for a Namespace.
	Emptied bool
	// Defines is true if objects of the resource define other resources, as
	// CustomResourceDefinitions do.
	Defines bool
	// Registers is true if each version of a group has an object of the resource, as it has an
	// APIService.
	Registers bool
	// Review answers objects that are reviews and are not stored; nil for other resources.
	Review *Review
	// RecordsAddresses is true if each allocated cluster IP has an object of the resource, as it has
	// an IPAddress.
	RecordsAddresses bool
	// AddressRanges returns the ranges of cluster IPs that an object adds, as a ServiceCIDR does; nil for other
	// resources.
	AddressRanges func(object document.Value) []string
	// DeletesNamesake is a resource of the same group. Its object with the same name and namespace is
	// deleted after an object of this resource, as the Endpoints of a Service; "" for none.
	DeletesNamesake string
	// Addresses returns the cluster IPs and node ports of an object; nil for resources that
	// have none.
	Addresses func(object document.Value) (ips []string, ports []int64)

	// InNamespace validates a new object against its Namespace, which is absent if it does not
	// exist; nil for resources that do not depend on it.
	InNamespace func(object, namespace document.Value) []schema.FieldError
	// StatusInNamespace validates an update of the status in the same way; live is the stored
	// object. It is nil for resources whose status does not depend on the Namespace.
	StatusInNamespace func(object, live, namespace document.Value) []schema.FieldError

	// metadataAgain is what the strategy repeats of the validation of metadata in an update, and
	// partMetadataAgain in an update through a subresource.
	metadataAgain, partMetadataAgain repetition
	// validatedOnce is the Kubernetes version before which the strategy validates the whole object
	// of an update twice, "" if it does in none.
	validatedOnce string
	// metadataOnce is the Kubernetes version before which an update finally validates the metadata
	// itself once more, "" if it does in none.
	metadataOnce string
	// later changes the strategy to that from the Kubernetes version since on, which changed is once
	// makeLater has been called; all three are zero if it is the same in all versions.
	later   func(*Strategy)
	since   string
	changed *Strategy
	// internal converts an object to the version that the validation is written for; nil if
	// all versions have the same fields.
	internal func(k *schema.Kind, object document.Value) document.Value
}

// A validation holds the validation functions of a resource; nil ones accept everything.
type validation struct {
	strategy *Strategy
	// object validates a create, for which old is absent, or an update.
	object func(c *check, object, old field)
	// status validates an update through the status subresource.
	status func(c *check, object, old field)
	// part validates an update through another subresource, check.subresource.
	part func(c *check, object, old field)
}

// validationOf returns the validation of a strategy's resource.
func validationOf(s *Strategy) validation {
	low, high := 0, len(validations)
	for low < high {
		mid := int(uint(low+high) / 2)
		switch v := validations[mid]; {
		case v.strategy.Group == s.Group && v.strategy.Resource == s.Resource:
			return v
		case v.strategy.Group < s.Group || v.strategy.Group == s.Group && v.strategy.Resource < s.Resource:
			low = mid + 1
		default:
			high = mid
		}
	}
	return validation{}
}

// SelectableField is a field that field selectors support.
type SelectableField struct {
	Label string
	// Path is the dotted path of the field; "" if it equals the label, "-" for a label that is
	// valid but matches no object.
	Path string
	// Instead is the path of a field that is used if the first one is empty or absent; "" for
	// none.
	Instead string
	// Missing is the value for objects without the field.
	Missing string
}

// A NameRule validates an object's name or, with prefix, its generateName. It returns a
// description of the syntax, "" for a valid name.
type NameRule func(name string, prefix bool) string

func subdomainName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSSubdomain(name)
}

// nameIn returns the rule for the names of objects in a Kubernetes version.
func (s *Strategy) nameIn(catalog *schema.Catalog) NameRule {
	if s.formerName != nil && !catalog.Since(s.renamed) {
		return s.formerName
	}
	return s.Name
}

// finalSubdomainName is SubdomainName without a check of generateName.
func finalSubdomainName(name string, prefix bool) string {
	if prefix {
		return ""
	}
	return strings.Replace(names.DNSSubdomain(name), "253 characters", "253 bytes", 1) // as declarative validation words it
}

// letterLabelName is the rule of labels that begin with a letter (RFC 1035).
func letterLabelName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSLabel1035(name)
}

func labelName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSLabel(name)
}

// anyName is the rule of resources that restrict names no further than all resources do.
func anyName(string, bool) string { return "" }

// wholeSegmentName is PathSegmentName with generateName validated like a complete name.
func wholeSegmentName(name string, _ bool) string { return names.PathSegment(name) }

func segmentName(name string, prefix bool) string {
	if prefix {
		return names.PathSegmentPrefix(name)
	}
	return names.PathSegment(name)
}

// builtin returns the strategy of a built-in resource, nil if it is unknown.
func builtin(group, resource string) *Strategy {
	low, high := 0, len(strategies)
	for low < high {
		mid := int(uint(low+high) / 2)
		switch s := strategies[mid]; {
		case s.Group == group && s.Resource == resource:
			return s
		case s.Group < group || s.Group == group && s.Resource < resource:
			low = mid + 1
		default:
			high = mid
		}
	}
	return nil
}

// laterMade is done when the strategies of later Kubernetes versions have been made.
var laterMade sync.Once

// makeLater makes the strategies of later versions, which happens when the first strategy is needed.
func makeLater() {
	for _, s := range strategies {
		if s.later != nil {
			changed := *s
			changed.later(&changed)
			s.changed = &changed
		}
	}
}

// For returns the strategy of a kind. For a custom resource it is derived from its definition;
// a built-in kind that this package does not define has the strategy of an ordinary resource.
// It is never nil.
func For(k *schema.Kind) *Strategy {
	if !k.Builtin {
		return customStrategy(k)
	}
	if s := builtin(k.Group, k.Resource); s != nil {
		if laterMade.Do(makeLater); s.later != nil && k.Since(s.since) {
			return s.changed
		}
		return s
	}
	s := &Strategy{Group: k.Group, Resource: k.Resource, Name: subdomainName}
	if k.Status {
		s.Reset, s.ResetStatus = []string{"status"}, []string{"spec"}
	}
	return s
}

// Find returns the first built-in resource whose strategy meets a condition, nil if there is
// none.
func Find(condition func(*Strategy) bool) *Strategy {
	for _, s := range strategies {
		if condition(s) {
			return s
		}
	}
	return nil
}

// StorageName returns the name of the resource in storage keys.
func (s *Strategy) StorageName() string {
	if s.Storage != "" {
		return s.Storage
	}
	return s.Resource
}

// Validate validates an object of kind k that is written through a subresource ("" for the
// object itself). The object must be decoded and have its defaults. old is the stored object,
// absent on create. Metadata is not validated.
func (s *Strategy) Validate(k *schema.Kind, subresource string, object, old document.Value) []schema.FieldError {
	return s.ValidateUpdate(k, subresource, object, old, document.Value{})
}

// ValidateUpdate is Validate for an object that shares parts with valid, an object of the kind
// that is known to be valid, such as the stored one. Large parts that both share
// (document.SameNode) are not validated again. valid is absent if there is none.
func (s *Strategy) ValidateUpdate(k *schema.Kind, subresource string, object, old, valid document.Value) []schema.FieldError {
	errs, _ := s.ValidateWritten(k, subresource, object, old, valid, document.Value{})
	return errs
}

// ValidateWritten is ValidateUpdate for an object with lists or maps that were empty and that
// decoding dropped. Some rules of kube-apiserver distinguish them from absent ones. written is the
// object before it was decoded, absent if decoding dropped none. metadataAt is the number of errors
// that kube-apiserver reports before those of the last validation of the metadata.
func (s *Strategy) ValidateWritten(k *schema.Kind, subresource string, object, old, valid, written document.Value) (errs []schema.FieldError, metadataAt int) {
	v := validationOf(s)
	run := v.part
	switch subresource {
	case "":
		run = v.object
	case "status":
		run = v.status
	}
	if run == nil {
		return nil, 0
	}
	if s.internal != nil {
		object, old = s.internal(k, object), s.internal(k, old)
	}
	c := newCheck(k, subresource, object)
	c.old, c.valid = old, valid
	if subresource == "resize" {
		written = resizedLevel(written) // the strategy keeps no other empty list of the request
	}
	if written.Exists() && (subresource == "" || subresource == "ephemeralcontainers" || subresource == "resize") {
		c.written, c.valid = written, document.Value{} // what was dropped is not a difference from valid
	}
	defer c.release()
	run(c, c.root(object), c.root(old))
	metadataAt = c.metadataAt
	if (subresource == "" || s.partMetadataAgain == repeatsWhole) && old.Exists() && !k.Since(s.validatedOnce) {
		run(c, c.root(object), c.root(document.Value{}))
	}
	return c.errs, metadataAt
}
