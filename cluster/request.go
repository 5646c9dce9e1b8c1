package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Verb is the API verb of a request.
type Verb uint8

// The verbs of requests for objects. The subresources of containers (log, exec, attach and portforward)
// are requested with Get or Create.
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

// Format is the media type of a request's body. For a patch it is also the type of the patch.
type Format uint8

// Formats of request bodies.
const (
	// JSON is an object, or DeleteOptions, in JSON.
	JSON Format = iota
	// YAML is an object, or DeleteOptions, in YAML.
	YAML
	// JSONPatch is application/json-patch+json (RFC 6902).
	JSONPatch
	// MergePatch is application/merge-patch+json (RFC 7396).
	MergePatch
	// StrategicPatch is application/strategic-merge-patch+json.
	StrategicPatch
	// ApplyPatch is application/apply-patch+yaml, an apply configuration for server-side
	// apply, in YAML or JSON.
	ApplyPatch
	// Protobuf is an object, or DeleteOptions, in protobuf, which the caller has parsed. Its fields
	// that the kind does not have are dropped, whatever FieldValidation is.
	Protobuf
	// UnknownFormat is any other media type. A request that has a body is then refused with
	// 415 (Unsupported Media Type).
	UnknownFormat
)

// Request is a request to the API, independent of its transport. The zero value of each option
// means the same as its absence in a request to the API server.
type Request struct {
	Verb Verb

	// Group is empty for the core group. Resource is the plural name, such as "deployments".
	Group, Version, Resource string
	// Namespace is empty for cluster-scoped resources, and for a list or watch in all
	// namespaces.
	Namespace string
	// Name is empty for create, list, deletecollection and a watch of several objects.
	Name string
	// Subresource is empty for the object itself. All kinds that have them serve status and
	// scale; some built-in kinds also serve finalize, approval, ephemeralcontainers, resize,
	// binding, eviction and token. For log, exec, attach and portforward of pods, the body is
	// the object of options, such as PodExecOptions; they are answered as long as no node has to
	// be asked: with the refusal of kube-apiserver, or with code 204 for an empty log. For proxy of
	// pods, Services and nodes, whose name may have a protocol and a port, admission is asked. Any
	// other is answered with 404, and so is what would be connected; the error wraps ErrNotServed.
	Subresource string

	Format Format
	// Document is the parsed body, for callers that have parsed it already; Body is then
	// ignored. If duplicate keys were allowed in parsing, they are reported like those of
	// Body.
	Document *document.Document
	// Body is the body, at most 3 MiB. It is neither changed nor retained.
	Body []byte

	// User is the requesting user. It is recorded in CertificateSigningRequests; nothing else
	// depends on it.
	User User
	// Impersonator is who sent the request if User is impersonated (kubectl --as), otherwise the
	// zero User. Only package rbac uses it.
	Impersonator User

	// UserAgent is the User-Agent header. If FieldManager is empty, its part before the first
	// "/" is the field manager of all writes except apply.
	UserAgent string

	// Restore makes a create keep the identity of the object in the body: its uid,
	// creationTimestamp and generation, to which owner references and the status of a dump
	// refer, and whether it is being deleted. The API server sets them anew in every new object.
	// With Config.StrictNamespaces, the object needs no namespace nevertheless.
	Restore bool

	// Notes, if not nil, receives the decisions about a create, update or patch.
	Notes Notes

	Options
}

// User is the requesting user.
type User = defaults.User

// Options are the query parameters of a request. The verb determines which are used.
type Options struct {
	// FieldManager is the name of the field manager; apply requires it.
	FieldManager string
	// Force resolves the conflicts of an apply by taking ownership. For any other patch it
	// must be nil.
	Force *bool
	// FieldValidation is Strict, Warn, Ignore or "", which means Warn.
	FieldValidation string
	// DryRun is empty, or has "All" as its only item for a request that stores nothing.
	DryRun []string

	// ResourceVersion and ResourceVersionMatch select the state that a get, list or watch
	// returns.
	ResourceVersion      string
	ResourceVersionMatch string
	LabelSelector        string
	FieldSelector        string
	Limit                int64
	Continue             string
	// Bookmarks enables bookmark events in a watch (allowWatchBookmarks).
	Bookmarks bool
	// InitialEvents makes a watch begin with the existing objects (sendInitialEvents).
	InitialEvents *bool
	// WatchByPath is true for a watch that is requested by the deprecated path /watch/… and
	// not by the parameter watch. Its options are validated and defaulted as those of a list.
	WatchByPath bool

	// Deletion holds the options of delete and deletecollection from the query. They are
	// ignored if the request has a body, which is a DeleteOptions object.
	Deletion Deletion
}

// AsServer makes r a request of the API server itself, as the user and with the user agent of
// kube-apiserver, and returns it.
func (r *Request) AsServer() *Request {
	r.UserAgent, r.User = "kube-apiserver", User{Name: "system:apiserver", Groups: []string{names.Superusers}}
	return r
}

// Deletion holds the options of a deletion (metav1.DeleteOptions).
type Deletion struct {
	GracePeriodSeconds *int64
	// PropagationPolicy is Orphan, Background or Foreground; nil selects the default of the
	// resource.
	PropagationPolicy *string
	// OrphanDependents is the deprecated form of PropagationPolicy. At most one of the two may
	// be set.
	OrphanDependents *bool
	// UID and ResourceVersion, if not nil, are preconditions: they must equal the object's.
	UID, ResourceVersion *string
}

// askedGrace returns the grace period that a client asks for, nil if it does not. A negative one is a
// second, for each kind.
func (d *Deletion) askedGrace() *int64 {
	if asked := d.GracePeriodSeconds; asked == nil || *asked >= 0 {
		return asked
	}
	one := int64(1)
	return &one
}
