package admission

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/client-go/informers"

	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// policies holds the compiled admission policies and their bindings, and kube-apiserver's
// dispatchers for them.
type policies struct {
	source   *source
	types    *typeConverters
	validate generic.Dispatcher[validating.PolicyHook]
	mutate   generic.Dispatcher[mutating.PolicyHook]

	validateHooks atomic.Pointer[[]validating.PolicyHook]
	mutateHooks   atomic.Pointer[[]mutating.PolicyHook]

	// Compiled policies by name, with the resourceVersion of the policy.
	validators compiled[validating.PolicyEvaluator]
	mutators   compiled[mutating.PolicyEvaluator]
}

func newPolicies(s *source, o Options) *policies {
	types := &typeConverters{cluster: s.cluster}
	matcher := matching.NewMatcher(namespaces{source: s}, client{source: s})
	return &policies{
		source: s, types: types,
		validate: validating.NewDispatcher(o.Authorizer, generic.NewPolicyMatcher(matcher)),
		mutate:   mutating.NewDispatcher(o.Authorizer, matcher, types),
	}
}

// active reports whether a policy has a binding.
func (p *policies) active() bool {
	v, m := p.validateHooks.Load(), p.mutateHooks.Load()
	return v != nil && len(*v) > 0 || m != nil && len(*m) > 0
}

// typesChanged drops the cached types, because a CustomResourceDefinition has changed.
func (p *policies) typesChanged() { p.types.forget() }

// load reads and compiles the current policies and bindings of the cluster. It must not be
// called concurrently.
func (p *policies) load() error {
	if err := loadHooks(p, &p.validators, &p.validateHooks, "validatingadmissionpolicies", "validatingadmissionpolicybindings",
		validating.NewValidatingAdmissionPolicyAccessor, validating.NewValidatingAdmissionPolicyBindingAccessor, compileValidating); err != nil {
		return err
	}
	return loadHooks[admissionv1.MutatingAdmissionPolicy, admissionv1.MutatingAdmissionPolicyBinding](p, &p.mutators, &p.mutateHooks,
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
		mutating.NewMutatingAdmissionPolicyAccessor, mutating.NewMutatingAdmissionPolicyBindingAccessor, compileMutating)
}

// compiled holds evaluators by the name of their policy.
type compiled[E any] map[string]struct {
	uid, version string
	evaluator    E
}

// object is the constraint of a pointer to T that is an API object.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
}

// loadHooks creates the hooks of one kind of policy, sorted by name. (In kube-apiserver their
// order is random.)
func loadHooks[P, B any, PP object[P], BB object[B], E any](p *policies, known *compiled[E], hooks *atomic.Pointer[[]generic.PolicyHook[PP, BB, E]],
	resource, bindingResource string, policyOf func(PP) generic.PolicyAccessor, bindingOf func(BB) generic.BindingAccessor, compile func(PP) E) error {
	list, err := typedList[P](p.source, resource)
	if err != nil {
		return err
	}
	bindings, err := typedList[B](p.source, bindingResource)
	if err != nil {
		return err
	}
	byPolicy := map[string][]BB{}
	for _, b := range bindings {
		name := bindingOf(b).GetPolicyName().Name
		byPolicy[name] = append(byPolicy[name], b)
	}
	next := compiled[E]{}
	var out []generic.PolicyHook[PP, BB, E]
	for _, each := range list {
		policy := PP(each)
		entry, ok := (*known)[policy.GetName()]
		if !ok || entry.uid != string(policy.GetUID()) || entry.version != policy.GetResourceVersion() {
			entry.uid, entry.version, entry.evaluator = string(policy.GetUID()), policy.GetResourceVersion(), compile(policy)
		}
		next[policy.GetName()] = entry
		bound := byPolicy[policy.GetName()]
		if len(bound) == 0 {
			continue
		}
		hook := generic.PolicyHook[PP, BB, E]{Policy: policy, Bindings: bound, Evaluator: entry.evaluator}
		hook.ParamInformer, hook.ParamScope, hook.ConfigurationError = p.params(policyOf(policy).GetParamKind())
		out = append(out, hook)
	}
	slices.SortFunc(out, func(a, b generic.PolicyHook[PP, BB, E]) int {
		return cmp.Compare(a.Policy.GetName(), b.Policy.GetName())
	})
	*known = next
	hooks.Store(&out)
	return nil
}

// params returns the informer and the scope of a policy's parameters.
func (p *policies) params(of *admissionv1.ParamKind) (informers.GenericInformer, meta.RESTScope, error) {
	if of == nil {
		return nil, nil, nil
	}
	version, err := apischema.ParseGroupVersion(of.APIVersion)
	if err != nil {
		return nil, nil, err
	}
	kind, ok := p.source.cluster.Kinds().Kind(schema.GroupVersionKind{Group: version.Group, Version: version.Version, Kind: of.Kind})
	if !ok || kind.Resource == "" {
		return nil, nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", version.WithKind(of.Kind))
	}
	scope := meta.RESTScopeRoot
	if kind.Namespaced {
		scope = meta.RESTScopeNamespace
	}
	return params{source: p.source, kind: kind}, scope, nil
}

// exempt reports whether policies do not apply to a resource: they cannot refuse their own
// configuration, nor reviews.
func exempt(resource apischema.GroupVersionResource) bool {
	if resource.Group != configGroup {
		return kinds.IsReview(resource.Group, resource.Resource)
	}
	switch resource.Resource {
	case "validatingadmissionpolicies", "validatingadmissionpolicybindings", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings":
		return true
	}
	return false
}

// validatingPolicies is the plugin for ValidatingAdmissionPolicies.
type validatingPolicies struct{ *policies }

func (p *validatingPolicies) Handles(apiadmission.Operation) bool { return true }

func (p *validatingPolicies) Validate(ctx context.Context, a apiadmission.Attributes, o apiadmission.ObjectInterfaces) error {
	hooks := p.validateHooks.Load()
	if hooks == nil || len(*hooks) == 0 || exempt(a.GetResource()) {
		return nil
	}
	return p.validate.Dispatch(ctx, a, o, *hooks)
}

// mutatingPolicies is the plugin for MutatingAdmissionPolicies.
type mutatingPolicies struct{ *policies }

func (p *mutatingPolicies) Handles(o apiadmission.Operation) bool { return o != apiadmission.Delete }

func (p *mutatingPolicies) Admit(ctx context.Context, a apiadmission.Attributes, o apiadmission.ObjectInterfaces) error {
	hooks := p.mutateHooks.Load()
	if hooks == nil || len(*hooks) == 0 || exempt(a.GetResource()) {
		return nil
	}
	return p.mutate.Dispatch(ctx, a, o, *hooks)
}
