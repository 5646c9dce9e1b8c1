package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Verb says what a request does.
type Verb uint8

// The verbs of the Kubernetes API. Connect and proxy are not served.
const (
	Get Verb = iota
	List
	Watch
	Create
	Update
	Patch
	Delete
	DeleteCollection
)

// String returns the verb as Kubernetes writes it in discovery.
func (v Verb) String() string {
	names := [...]string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	if int(v) < len(names) {
		return names[v]
	}
	return "unknown"
}

// Format says how a request's body is written, which for a patch says also what
// kind of patch it is.
type Format uint8

// The formats of bodies.
const (
	// JSON is an object, or the options of a deletion, in JSON.
	JSON Format = iota
	// YAML is the same in YAML.
	YAML
	// JSONPatch is application/json-patch+json (RFC 6902).
	JSONPatch
	// MergePatch is application/merge-patch+json (RFC 7386).
	MergePatch
	// StrategicPatch is application/strategic-merge-patch+json.
	StrategicPatch
	// ApplyPatch is application/apply-patch+yaml, a configuration for
	// server-side apply; JSON is YAML too.
	ApplyPatch
	// UnknownFormat is any other content type. A request with a body is then
	// refused with 415 in the words for its kind and verb.
	UnknownFormat
)

// Request is one request to the API, after its protocol has been read. The zero
// values of all options ask for what the API server does when they are missing.
type Request struct {
	Verb Verb

	// Group is empty for the core group. Resource is the plural, as in a path.
	Group, Version, Resource string
	// Namespace is empty for resources of the cluster, and for a list or watch
	// over all namespaces.
	Namespace string
	// Name is empty for create, list, watch over many and deletecollection.
	Name string
	// Subresource is empty or one that is served: status, scale, and of some
	// built-in kinds finalize, approval, ephemeralcontainers, resize, binding,
	// eviction and token. Others are answered 404.
	Subresource string

	Format Format
	// Document is the body where it has been parsed already, as by a caller in the
	// same process; Body is not read then. Its duplicate keys, if it was parsed
	// with any allowed, are reported as those of a Body are.
	Document *document.Document
	// Body is the body as sent, at most 3 MiB. It is not changed and not kept.
	Body []byte

	// User is who asks. It is written into CertificateSigningRequests, nothing
	// else depends on it.
	User User

	// UserAgent stands in for a missing FieldManager in all writes but apply:
	// what comes before its first "/".
	UserAgent string

	// Notes, where not nil, receives what is decided about a create, an update or a
	// patch.
	Notes Notes

	Options
}

// User is who asks.
type User = defaults.User

// Options are the parameters of a request, as they come in its query. Which of
// them count depends on the verb.
type Options struct {
	// FieldManager names who writes; apply requires it.
	FieldManager string
	// Force takes over the fields of others in an apply. On any other patch it
	// must be nil.
	Force *bool
	// FieldValidation is Strict, Warn, Ignore or "", which is Warn.
	FieldValidation string
	// DryRun is empty or [All].
	DryRun []string

	// ResourceVersion and ResourceVersionMatch choose the state that get, list
	// and watch show.
	ResourceVersion      string
	ResourceVersionMatch string
	LabelSelector        string
	FieldSelector        string
	Limit                int64
	Continue             string
	// Bookmarks (allowWatchBookmarks) lets a watch send bookmarks.
	Bookmarks bool
	// InitialEvents (sendInitialEvents) makes a watch begin with what there is.
	InitialEvents *bool

	// Deletion holds the options of delete and deletecollection that came in
	// the query. A body, which is a DeleteOptions object, is read in their place.
	Deletion Deletion
}

// Deletion are the options of a deletion (DeleteOptions of meta.k8s.io/v1).
type Deletion struct {
	GracePeriodSeconds *int64
	// PropagationPolicy is Orphan, Background or Foreground; nil where nothing
	// is said.
	PropagationPolicy *string
	// OrphanDependents is the older form of PropagationPolicy; only one of the
	// two may be given.
	OrphanDependents *bool
	// UID and ResourceVersion, where not nil, must be the object's.
	UID, ResourceVersion *string
}
