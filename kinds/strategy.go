package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// A Strategy is what kube-apiserver's registry of a resource does beyond its schema
// (pkg/registry/*/strategy.go and pkg/apis/*/validation of Kubernetes 1.36). It is
// the same for all versions of the resource.
type Strategy struct {
	// Group and Resource name the resource, such as "apps" and "deployments".
	Group, Resource string
	// Storage is the resource's part of a key in storage, which one error message
	// shows; "" for Resource.
	Storage string
	// Name checks the names of objects.
	Name NameRule
	// AnyFinalizer accepts finalizers without a domain.
	AnyFinalizer bool
	// GenerateName gives an object without a name a UUID for one.
	GenerateName bool
	// Generation holds the parts of the object, as dotted paths, whose change
	// increments metadata.generation; "!metadata" is everything except the metadata.
	// It is nil where the resource does not count generations.
	Generation []string
	// ExactGeneration compares these parts as Go holds them: an empty list differs
	// from none.
	ExactGeneration bool
	// NoFirstGeneration leaves a new object without generation 1.
	NoFirstGeneration bool
	// CreateOnUpdate lets a PUT create the object.
	CreateOnUpdate bool
	// RequireVersion requires a resourceVersion in every update.
	RequireVersion bool
	// ReturnDeleted answers a deletion with the object instead of a Status.
	ReturnDeleted bool
	// OrphanByDefault keeps dependents when a deletion names no propagation policy.
	OrphanByDefault bool
	// NotCollected excludes the resource from garbage collection.
	NotCollected bool
	// Graceful lets an object take its grace period to stop.
	Graceful bool
	// Reset are the fields that a write of the object ignores, as dotted paths, and
	// ResetStatus those that a write of its status ignores.
	Reset, ResetStatus []string
	// Deprecated is the warning in every answer, as of Kubernetes 1.36.
	Deprecated string
	// Embedded tells that the type of a custom resource contains whole objects.
	Embedded bool
	// Selectable are the fields that field selectors know beyond metadata.name and
	// metadata.namespace, sorted by label.
	Selectable []SelectableField

	// Emptied tells that finalizers in the spec keep an object that is being deleted,
	// until what it contains is gone.
	Emptied bool
	// Defines tells that objects of the resource define further resources.
	Defines bool
	// Review answers objects that are questions and are not stored; nil for others.
	Review *Review
	// Addresses returns the addresses and ports that an object of the resource uses;
	// nil for resources that have none.
	Addresses func(object document.Value) (ips []string, ports []int64)

	// InNamespace checks a new object by its namespace, which is absent where it does
	// not exist; nil for resources that do not depend on it.
	InNamespace func(object, namespace document.Value) []schema.FieldError

	// internal converts an object to the version that validation is written for; nil
	// for kinds whose versions have the same fields.
	internal func(k *schema.Kind, object document.Value) document.Value
}

// A validation holds the functions that validate the objects of a resource; nil ones
// accept everything.
type validation struct {
	strategy *Strategy
	// object checks an object that is created (old is absent then) or updated.
	object func(c *check, object, old field)
	// status checks an update through the status subresource.
	status func(c *check, object, old field)
	// part checks an update through another subresource, the one in
	// check.subresource.
	part func(c *check, object, old field)
}

// validationOf returns the validation of a strategy's resource.
func validationOf(s *Strategy) validation {
	low, high := 0, len(validations)
	for low < high {
		mid := int(uint(low+high) / 2)
		switch v := validations[mid]; {
		case v.strategy == s:
			return v
		case v.strategy.Group < s.Group || v.strategy.Group == s.Group && v.strategy.Resource < s.Resource:
			low = mid + 1
		default:
			high = mid
		}
	}
	return validation{}
}

// SelectableField is a label that field selectors may use.
type SelectableField struct {
	Label string
	// Path is the dotted path of the value; "" for the label itself, "-" for a label
	// that is known and that no object has.
	Path string
	// Missing is the value of an object that does not have the field.
	Missing string
}

// A NameRule checks an object's name or, with prefix, the beginning of a generated
// one. It returns what is required, "" for a valid name.
type NameRule func(name string, prefix bool) string

func subdomainName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSSubdomain(name)
}

// finalSubdomainName does not check the beginning of a generated name.
func finalSubdomainName(name string, prefix bool) string {
	if prefix {
		return ""
	}
	return names.DNSSubdomain(name)
}

func labelName(name string, prefix bool) string {
	if prefix {
		name = names.MaskPrefix(name)
	}
	return names.DNSLabel(name)
}

// anyName leaves names to the rule of all kinds.
func anyName(string, bool) string { return "" }

// wholeSegmentName takes the beginning of a generated name for a whole one.
func wholeSegmentName(name string, _ bool) string { return names.PathSegment(name) }

func segmentName(name string, prefix bool) string {
	if prefix {
		return names.PathSegmentPrefix(name)
	}
	return names.PathSegment(name)
}

// builtin returns the strategy of a built-in resource, nil for an unknown one.
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

// For returns the strategy of any kind: a custom resource has one that follows from
// its definition, a built-in kind that is not known here that of an ordinary resource.
func For(k *schema.Kind) *Strategy {
	if !k.Builtin {
		return customStrategy(k)
	}
	if s := builtin(k.Group, k.Resource); s != nil {
		return s
	}
	s := &Strategy{Group: k.Group, Resource: k.Resource, Name: subdomainName}
	if k.Status {
		s.Reset, s.ResetStatus = []string{"status"}, []string{"spec"}
	}
	return s
}

// Find returns the first built-in resource whose strategy meets a condition, nil for
// none.
func Find(condition func(*Strategy) bool) *Strategy {
	for _, s := range strategies {
		if condition(s) {
			return s
		}
	}
	return nil
}

// StorageName returns the resource's part of a key in storage.
func (s *Strategy) StorageName() string {
	if s.Storage != "" {
		return s.Storage
	}
	return s.Resource
}

// Validate checks an object of kind k, decoded and with its defaults, that is
// written through a subresource ("" for the object itself). old is the stored
// object, absent on create. The metadata is not checked here.
func (s *Strategy) Validate(k *schema.Kind, subresource string, object, old document.Value) []schema.FieldError {
	return s.ValidateUpdate(k, subresource, object, old, document.Value{})
}

// ValidateUpdate is Validate for an object that shares parts with valid, an object of
// the kind that is known to be valid, such as the stored one. Large parts that both
// share (document.SameNode) are not checked again. valid is absent for none.
func (s *Strategy) ValidateUpdate(k *schema.Kind, subresource string, object, old, valid document.Value) []schema.FieldError {
	v := validationOf(s)
	run := v.part
	switch subresource {
	case "":
		run = v.object
	case "status":
		run = v.status
	}
	if run == nil {
		return nil
	}
	if s.internal != nil {
		object, old = s.internal(k, object), s.internal(k, old)
	}
	c := newCheck(k, subresource, object)
	c.valid = valid
	defer c.release()
	run(c, c.root(object), c.root(old))
	return c.finish()
}
