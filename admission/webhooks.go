package admission

import (
	"context"
	"sync/atomic"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	configinformers "k8s.io/client-go/informers/admissionregistration"
	coreinformers "k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/tools/cache"

	"github.com/patchlab-dev/patchlab/kinds"
)

// webhooks are the two webhook plugins of kube-apiserver, with configurations that are read
// from the cluster instead of informers.
type webhooks struct {
	source     *source
	mutating   *mutating.Plugin
	validating *validating.Plugin

	mutate   *configurations
	validate *configurations
	count    atomic.Int64
	off      bool // Options.NoWebhooks
}

func newWebhooks(s *source, o Options) (*webhooks, error) {
	w := &webhooks{source: s, off: o.NoWebhooks, mutate: newConfigurations(), validate: newConfigurations()}
	var err error
	if w.mutating, err = mutating.NewMutatingWebhook(nil); err != nil {
		return nil, err
	}
	if w.validating, err = validating.NewValidatingAdmissionWebhook(nil); err != nil {
		return nil, err
	}
	for _, plugin := range []interface {
		apiadmission.Interface
		SetServiceResolver(webhookutil.ServiceResolver)
		SetAuthenticationInfoResolverWrapper(webhookutil.AuthenticationInfoResolverWrapper)
	}{w.mutating, w.validating} {
		// By which method a plugin takes the authorizer depends on the version of k8s.io/apiserver.
		initializer.New(client{source: s}, nil, factory{webhooks: w}, o.Authorizer, utilfeature.DefaultFeatureGate, nil, nil, nil).Initialize(plugin)
		plugin.SetServiceResolver(o.services(s))
		plugin.SetAuthenticationInfoResolverWrapper(briefConnections)
	}
	if err := w.mutating.ValidateInitialization(); err != nil {
		return nil, err
	}
	return w, w.validating.ValidateInitialization()
}

// active reports whether a webhook is configured.
func (w *webhooks) active() bool { return w.count.Load() > 0 }

// exempt reports whether webhooks are not called for a resource: from Kubernetes 1.37 on, they
// cannot refuse reviews (ExcludeAdmissionWebhookVirtualResources).
func (w *webhooks) exempt(resource apischema.GroupVersionResource) bool {
	return kinds.IsReview(resource.Group, resource.Resource) && w.source.cluster.Kinds().Catalog().Since("1.37")
}

// mutatingWebhooks is the plugin for MutatingWebhookConfigurations.
type mutatingWebhooks struct{ *webhooks }

func (w *mutatingWebhooks) Handles(o apiadmission.Operation) bool { return w.mutating.Handles(o) }

func (w *mutatingWebhooks) Admit(ctx context.Context, a apiadmission.Attributes, o apiadmission.ObjectInterfaces) error {
	if w.exempt(a.GetResource()) {
		return nil
	}
	return w.mutating.Admit(ctx, a, o)
}

// validatingWebhooks is the plugin for ValidatingWebhookConfigurations.
type validatingWebhooks struct{ *webhooks }

func (w *validatingWebhooks) Handles(o apiadmission.Operation) bool { return w.validating.Handles(o) }

func (w *validatingWebhooks) Validate(ctx context.Context, a apiadmission.Attributes, o apiadmission.ObjectInterfaces) error {
	if w.exempt(a.GetResource()) {
		return nil
	}
	return w.validating.Validate(ctx, a, o)
}

// load reads the current webhook configurations of the cluster. It must not be called
// concurrently.
func (w *webhooks) load() error {
	if w.off {
		return nil
	}
	mutate, err := typedList[admissionv1.MutatingWebhookConfiguration](w.source, "mutatingwebhookconfigurations")
	if err != nil {
		return err
	}
	validate, err := typedList[admissionv1.ValidatingWebhookConfiguration](w.source, "validatingwebhookconfigurations")
	if err != nil {
		return err
	}
	if err := replace(w.mutate, mutate); err != nil {
		return err
	}
	if err := replace(w.validate, validate); err != nil {
		return err
	}
	w.count.Store(int64(len(mutate) + len(validate)))
	return nil
}

// configurations holds the configurations of one kind. The plugin reads them as an informer's
// index, and registers an event handler.
type configurations struct {
	cache.SharedIndexInformer
	index   cache.Indexer
	handler cache.ResourceEventHandler
}

func newConfigurations() *configurations {
	return &configurations{index: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
}

// GetIndexer implements the informer.
func (c *configurations) GetIndexer() cache.Indexer { return c.index }

// AddEventHandler implements the informer.
func (c *configurations) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.handler = h
	return registration{}, nil
}

type registration struct {
	cache.ResourceEventHandlerRegistration
}

func (registration) HasSynced() bool { return true }

// replace sets the contents of the index and sends the resulting events. An object that has
// not changed keeps its compiled expressions.
func replace[T metav1.Object](c *configurations, objects []T) error {
	left := map[string]any{}
	for _, old := range c.index.List() {
		left[old.(metav1.Object).GetName()] = old
	}
	for _, object := range objects {
		name := object.GetName()
		old, known := left[name]
		delete(left, name)
		if known && old.(metav1.Object).GetResourceVersion() == object.GetResourceVersion() {
			continue
		}
		if err := c.index.Update(object); err != nil {
			return err
		}
		if known {
			c.handler.OnUpdate(old, object)
		} else {
			c.handler.OnAdd(object, false)
		}
	}
	for _, old := range left {
		if err := c.index.Delete(old); err != nil {
			return err
		}
		c.handler.OnDelete(old)
	}
	return nil
}

// factory returns the informers that the plugins need, and no others. client-go's generated code makes them
// from InformerFor, so that their types may change with the version of client-go.
type factory struct {
	informers.SharedInformerFactory
	webhooks *webhooks
}

func (f factory) Core() coreinformers.Interface {
	return coreinformers.New(f, metav1.NamespaceAll, nil)
}

func (f factory) Admissionregistration() configinformers.Interface {
	return configinformers.New(f, metav1.NamespaceAll, nil)
}

// InformerFor implements the factory: it returns what the informer of a type reads from.
func (f factory) InformerFor(of runtime.Object, _ internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	switch of.(type) {
	case *admissionv1.MutatingWebhookConfiguration:
		return f.webhooks.mutate
	case *admissionv1.ValidatingWebhookConfiguration:
		return f.webhooks.validate
	}
	return namespaceInformer{namespaces: namespaces{source: f.webhooks.source}}
}
