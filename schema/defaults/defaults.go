package defaults

import (
	"errors"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrVersion says that there are no rules for a version of Kubernetes.
var ErrVersion = errors.New("no default rules for this version of Kubernetes")

// Rules are the default rules of one version of Kubernetes. They are immutable
// and safe for concurrent use.
type Rules struct {
	minor int
}

// For returns the rules of a version of Kubernetes, such as "1.36"; of the
// newest where version is empty. An error wraps ErrVersion.
func For(version string) (*Rules, error) { return &Rules{minor: 36}, nil }

// Options for Apply. The zero value is ready.
type Options struct {
	// Now is the time of the request, which a few defaults hold (a device
	// taint's timeAdded). Where it is zero these are left out.
	Now time.Time
	// Observe is called for every value that a rule sets, in the order in which
	// they are set.
	Observe func(Filled)
}

// Filled is one value that a rule set.
type Filled struct {
	Path  document.Path
	Value document.Value
	Rule  *Rule
}

// Rule is one default rule.
type Rule struct {
	// Type is the name of the type that the rule belongs to, as in schema.Type.
	Type string
	// Field is the path below it, such as "ports[].protocol".
	Field string
	// Value and Condition are as in the file of rules.
	Value, Condition string
}

// Apply fills in what the default functions of the object's kind do. The same
// value comes back where nothing is missing.
func (r *Rules) Apply(k *schema.Kind, v document.Value, o Options) document.Value { return v }

// Request is what the create and update strategies know of a request. The zero
// value stands for a write of the whole object.
type Request struct {
	// Subresource that is written, such as "status"; "" for the object itself.
	Subresource string
	// Now is the time of the request.
	Now time.Time
	// User is who asks, which a CertificateSigningRequest records.
	User User
}

// User is who asks.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// PrepareForCreate returns what the create strategy of the object's kind makes
// of a new object: no status of the client's, the fields that it mirrors, and
// so on. It does not give names, uids, times or generations.
func (r *Rules) PrepareForCreate(k *schema.Kind, v document.Value, q Request) document.Value {
	return v
}

// PrepareForUpdate returns what the update strategy of the object's kind makes
// of next where live is stored: a write of the object keeps the live status,
// one of the status the live rest, and so on. Generations are not counted.
func (r *Rules) PrepareForUpdate(k *schema.Kind, next, live document.Value, q Request) document.Value {
	return next
}
