package admission

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options configure what calls other servers. The zero value calls webhooks by
// their URL and allows everything that an expression asks the authorizer.
type Options struct {
	// Service returns the URL at which a service that a webhook names is reached
	// from here. nil is the name that it has in a cluster,
	// https://NAME.NAMESPACE.svc:PORT, which usually leads nowhere.
	Service func(namespace, name string, port int32) (*url.URL, error)
	// Authorizer answers the expressions of policies and match conditions that use
	// the variable authorizer; nil allows everything.
	Authorizer authorizer.Authorizer
	// NoWebhooks leaves webhooks uncalled: their configurations have no effect, and
	// rules and policies run.
	NoWebhooks bool
	// Audit is called with each annotation that a policy or webhook adds to the
	// audit event of a request; nil drops them. It may be called by many goroutines.
	Audit func(r *cluster.Request, key, value string)
}

// Configure adds everything that this package does to the configuration of a
// cluster: rules, conversion webhooks, policies and webhooks.
func Configure(c *cluster.Config, o Options) error {
	conversion, err := NewConversion(o)
	if err != nil {
		return err
	}
	c.Rules, c.Conversion = NewRules(), conversion
	c.Admission = func(of *cluster.Cluster) (cluster.Admission, error) { return newChain(of, o) }
	return nil
}

// chain runs the four plugins in kube-apiserver's order. They are made when the
// first configuration is written: their CEL environments take some ten milliseconds.
type chain struct {
	options Options
	source  *source

	mu      sync.Mutex // held while plugins are made and configuration is loaded
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
	_ apiadmission.MutationInterface = (*mutating.Plugin)(nil)
	_ apiadmission.MutationInterface = (*mutatingPolicies)(nil)
)

func newChain(c *cluster.Cluster, o Options) (*chain, error) {
	if o.Authorizer == nil {
		o.Authorizer = allowAll
	}
	ch := &chain{options: o, source: &source{cluster: c}}
	return ch, ch.load()
}

func newPlugins(s *source, o Options) (*plugins, error) {
	hooks, err := newWebhooks(s, o)
	if err != nil {
		return nil, err
	}
	policies := newPolicies(s, o)
	return &plugins{
		hooks: hooks, policies: policies,
		rounds:      []apiadmission.MutationInterface{&mutatingPolicies{policies}, hooks.mutating},
		validations: []apiadmission.ValidationInterface{&validatingPolicies{policies}, hooks.validating},
	}, nil
}

// allowAll is the authorizer of a cluster in which everybody may do everything.
var allowAll = authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
})

// load reads the configuration of the cluster as it is now.
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

// Changed implements [cluster.Admission]. A configuration that cannot be read
// stays as it was; it was validated before it was stored.
func (ch *chain) Changed(resource *schema.Kind) {
	switch {
	case resource.Builtin && resource.Group == configGroup:
		_ = ch.load()
	case resource.Builtin && resource.Group == "apiextensions.k8s.io":
		if p := ch.plugins.Load(); p != nil {
			p.policies.typesChanged() // parameters and patches depend on the kinds served
			_ = ch.load()
		}
	}
}

// Mutate implements [cluster.Admission]. Where a plugin changes the object, all
// run a second time, and decide by their reinvocation policy what they do then.
func (ch *chain) Mutate(ctx context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	attrs, objects, err := ch.attributes(a)
	if err != nil {
		return a.Object, statusOf(err)
	}
	var warnings warningList
	err = ch.admit(warning.WithWarningRecorder(ctx, &warnings), attrs, objects)
	for _, text := range warnings.texts() {
		a.Warn(text)
	}
	if err == nil {
		err = objects.err
	}
	if err != nil || !objects.changed {
		return a.Object, statusOf(err)
	}
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
	}
}

// recovered turns a panic of a plugin into an error. One is known: a JSONPatch
// mutation whose value is a list of typed objects makes kube-apiserver 1.36 panic.
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
	attrs, objects, err := ch.attributes(a)
	if err != nil {
		return statusOf(err)
	}
	var warnings warningList
	ctx = warning.WithWarningRecorder(ctx, &warnings)
	for _, plugin := range ch.plugins.Load().validations {
		if plugin.Handles(attrs.GetOperation()) {
			if err = recovered(func() error { return plugin.Validate(ctx, attrs, objects) }); err != nil {
				break
			}
		}
	}
	for _, text := range warnings.texts() {
		a.Warn(text)
	}
	return statusOf(err)
}

var _ apiadmission.ValidationInterface = (*validating.Plugin)(nil)
