package admission

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options configure [Configure] and [NewConversion]. The zero value calls webhooks by their
// URL, and allows everything that an expression checks with the authorizer.
type Options struct {
	// Service returns the URL of a service in a webhook's client configuration. nil uses the
	// address of the Service in the cluster as kube-apiserver does, which is usually not reachable
	// from outside, or without a cluster its name, https://NAME.NAMESPACE.svc:PORT.
	Service func(namespace, name string, port int32) (*url.URL, error)
	// Authorizer is the authorizer of the variable authorizer in policies and match
	// conditions; nil allows everything, or with RBAC what the roles in the cluster allow.
	Authorizer authorizer.Authorizer
	RBAC       bool
	// NoWebhooks disables webhooks: their configurations have no effect. Rules and policies
	// still run.
	NoWebhooks bool
	// Disabled are the names of the admission plugins that do not run, as in kube-apiserver's
	// --disable-admission-plugins; Plugins lists them.
	Disabled []string
	// Audit is called with each annotation that a policy or webhook adds to the audit event of
	// a request; nil drops them. It must be safe for concurrent use.
	Audit func(r *cluster.Request, key, value string)
}

// Configure sets Rules, Conversion and Admission in the configuration of a cluster. An error
// means that a client for webhooks cannot be created.
func Configure(c *cluster.Config, o Options) error {
	resolve := o.services(nil)
	conversion, err := newConversion(resolve)
	if err != nil {
		return err
	}
	c.Rules, c.Conversion = NewRules(), conversion
	c.Admission = func(of *cluster.Cluster) (cluster.Admission, error) {
		if s, ok := resolve.(*services); ok {
			s.source.Store(&source{cluster: of})
		}
		return newChain(of, o)
	}
	return nil
}

// chain runs the four admission plugins in kube-apiserver's order. They are created when the
// first configuration is stored, because their CEL environments take some ten milliseconds.
type chain struct {
	options Options
	source  *source

	mu      sync.Mutex // held while plugins are created and configurations are loaded
	plugins atomic.Pointer[plugins]
}

type plugins struct {
	hooks       *webhooks
	policies    *policies
	rounds      []apiadmission.MutationInterface
	validations []apiadmission.ValidationInterface
}

var (
	_ cluster.Admission              = (*chain)(nil)
	_ apiadmission.MutationInterface = (*mutatingWebhooks)(nil)
	_ apiadmission.MutationInterface = (*mutatingPolicies)(nil)
)

func newChain(c *cluster.Cluster, o Options) (*chain, error) {
	switch {
	case o.Authorizer != nil:
	case o.RBAC:
		o.Authorizer = authorizer.AuthorizerFunc(roles{rbac.Cluster{Cluster: c}}.authorize)
	default:
		o.Authorizer = allowAll
	}
	ch := &chain{options: o, source: &source{cluster: c}}
	return ch, ch.load()
}

// The library of webhooks and policies has its limit for copy operations in a global variable, which kube-apiserver sets
// when it starts. Without it, each operation of a patch can double the object.
func init() { jsonpatch.AccumulatedCopySizeLimit = patch.DefaultMaxCopyBytes }

func newPlugins(s *source, o Options) (*plugins, error) {
	hooks, err := newWebhooks(s, o)
	if err != nil {
		return nil, err
	}
	p := &plugins{hooks: hooks, policies: newPolicies(s, o)}
	mutations := []apiadmission.MutationInterface{&mutatingPolicies{p.policies}, &mutatingWebhooks{hooks}}
	validations := []apiadmission.ValidationInterface{&validatingPolicies{p.policies}, &validatingWebhooks{hooks}}
	for i, name := range Plugins() {
		switch {
		case slices.Contains(o.Disabled, name):
		case i < len(mutations):
			p.rounds = append(p.rounds, mutations[i])
		default:
			p.validations = append(p.validations, validations[i-len(mutations)])
		}
	}
	return p, nil
}

// Plugins returns the names of kube-apiserver's admission plugins that this package runs, in their
// order.
func Plugins() []string {
	return []string{"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"}
}

// allowAll is an authorizer that allows everything.
var allowAll = authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
})

// load reads the current policies and webhook configurations of the cluster.
func (ch *chain) load() error {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	p := ch.plugins.Load()
	if p == nil {
		configured, err := ch.source.configured()
		if err != nil || !configured {
			return err
		}
		if p, err = newPlugins(ch.source, ch.options); err != nil {
			return err
		}
	}
	if err := p.hooks.load(); err != nil {
		return err
	}
	err := p.policies.load()
	ch.plugins.Store(p)
	return err
}

// Active implements [cluster.Admission].
func (ch *chain) Active() bool {
	p := ch.plugins.Load()
	return p != nil && (p.hooks.active() || p.policies.active())
}

// Changed implements [cluster.Admission]. If the configurations cannot be loaded, the previous
// ones stay in effect; each was validated before it was stored.
func (ch *chain) Changed(resource *schema.Kind) {
	switch {
	case resource.Builtin && resource.Group == configGroup:
		_ = ch.load()
	case resource.Builtin && resource.Group == "apiextensions.k8s.io":
		if p := ch.plugins.Load(); p != nil {
			p.policies.typesChanged() // parameters and patches depend on the served kinds
			_ = ch.load()
		}
	}
}

// Mutate implements [cluster.Admission]. If a plugin changes the object, the admission that has run
// before is repeated, and all plugins run a second time, as their reinvocation policies require.
func (ch *chain) Mutate(ctx context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	attrs, objects := ch.attributes(a)
	var warnings convert.Warnings
	err := ch.admit(warning.WithWarningRecorder(ctx, &warnings), attrs, objects)
	for _, text := range warnings.Texts() {
		a.Warn(text)
	}
	if err != nil || !objects.changed {
		return a.Object, statusOf(err)
	}
	a.Encoded()
	value, err := govalue.From(attrs.object().Object)
	return value, statusOf(err)
}

func (ch *chain) admit(ctx context.Context, attrs *attributes, objects *objects) error {
	operation := attrs.GetOperation()
	for {
		for _, plugin := range ch.plugins.Load().rounds {
			if !plugin.Handles(operation) {
				continue
			}
			if err := recovered(func() error { return plugin.Admit(ctx, attrs, objects) }); err != nil {
				return err
			}
			if objects.err != nil {
				return objects.err
			}
		}
		again := attrs.GetReinvocationContext()
		if again.IsReinvoke() || !again.ShouldReinvoke() {
			return nil
		}
		again.SetIsReinvoke()
		if err := repeat(ctx, attrs, objects); err != nil {
			return err
		}
	}
}

// repeat runs the admission that has run before this one on the changed object.
func repeat(ctx context.Context, attrs *attributes, objects *objects) error {
	if objects.write.Repeat == nil || attrs.GetObject() == nil {
		return nil
	}
	value, err := govalue.From(attrs.object().Object)
	if err != nil {
		return err
	}
	next, st := objects.write.Repeat(ctx, value)
	if st != nil {
		return st
	}
	if !document.SameNode(next, value) {
		attrs.object().Object = unstructuredOf(next).Object
		objects.changed = true
	}
	return nil
}

// recovered converts a panic of a plugin to an error. One is known: a JSONPatch mutation whose
// value is a list of typed objects makes kube-apiserver 1.36 panic.
func recovered(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = apierrors.NewInternalError(fmt.Errorf("admission failed: %v", p))
		}
	}()
	return call()
}

// Validate implements [cluster.Admission].
func (ch *chain) Validate(ctx context.Context, a *cluster.Attributes) *cluster.Status {
	attrs, objects := ch.attributes(a)
	var err error
	var warnings convert.Warnings
	ctx = warning.WithWarningRecorder(ctx, &warnings)
	for _, plugin := range ch.plugins.Load().validations {
		if plugin.Handles(attrs.GetOperation()) {
			if err = recovered(func() error { return plugin.Validate(ctx, attrs, objects) }); err != nil {
				break
			}
		}
	}
	for _, text := range warnings.Texts() {
		a.Warn(text)
	}
	return statusOf(err)
}

var _ apiadmission.ValidationInterface = (*validatingWebhooks)(nil)
