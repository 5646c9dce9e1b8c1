package admission

import (
	"net/url"
	"sync/atomic"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	configinformers "k8s.io/client-go/informers/admissionregistration"
	configinformersv1 "k8s.io/client-go/informers/admissionregistration/v1"
	coreinformers "k8s.io/client-go/informers/core"
	coreinformersv1 "k8s.io/client-go/informers/core/v1"
	configlisters "k8s.io/client-go/listers/admissionregistration/v1"
	"k8s.io/client-go/tools/cache"
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
	w.mutating.SetExternalKubeInformerFactory(factory{webhooks: w})
	w.mutating.SetExternalKubeClientSet(client{source: s})
	w.mutating.SetServiceResolver(o.services())
	w.mutating.SetAuthenticationInfoResolverWrapper(briefConnections)
	w.mutating.SetAuthorizer(o.Authorizer)
	w.validating.SetExternalKubeInformerFactory(factory{webhooks: w})
	w.validating.SetExternalKubeClientSet(client{source: s})
	w.validating.SetServiceResolver(o.services())
	w.validating.SetAuthenticationInfoResolverWrapper(briefConnections)
	w.validating.SetAuthorizer(o.Authorizer)
	if err := w.mutating.ValidateInitialization(); err != nil {
		return nil, err
	}
	return w, w.validating.ValidateInitialization()
}

// services returns the resolver for the services of webhooks.
func (o Options) services() webhookutil.ServiceResolver {
	if o.Service == nil {
		return webhookutil.NewDefaultServiceResolver()
	}
	return resolver(o.Service)
}

type resolver func(namespace, name string, port int32) (*url.URL, error)

func (r resolver) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	return r(namespace, name, port)
}

// active reports whether a webhook is configured.
func (w *webhooks) active() bool { return w.count.Load() > 0 }

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

// factory returns the informers that the plugins need, and no others.
type factory struct {
	informers.SharedInformerFactory
	webhooks *webhooks
}

func (f factory) Core() coreinformers.Interface { return coreFactory{source: f.webhooks.source} }

func (f factory) Admissionregistration() configinformers.Interface {
	return configFactory{webhooks: f.webhooks}
}

type coreFactory struct {
	coreinformers.Interface
	source *source
}

func (f coreFactory) V1() coreinformersv1.Interface { return coreFactoryV1{source: f.source} }

type coreFactoryV1 struct {
	coreinformersv1.Interface
	source *source
}

func (f coreFactoryV1) Namespaces() coreinformersv1.NamespaceInformer {
	return namespaces{source: f.source}
}

type configFactory struct {
	configinformers.Interface
	webhooks *webhooks
}

func (f configFactory) V1() configinformersv1.Interface {
	return configFactoryV1{webhooks: f.webhooks}
}

type configFactoryV1 struct {
	configinformersv1.Interface
	webhooks *webhooks
}

func (f configFactoryV1) MutatingWebhookConfigurations() configinformersv1.MutatingWebhookConfigurationInformer {
	return mutatingInformer{f.webhooks.mutate}
}

func (f configFactoryV1) ValidatingWebhookConfigurations() configinformersv1.ValidatingWebhookConfigurationInformer {
	return validatingInformer{f.webhooks.validate}
}

type mutatingInformer struct{ *configurations }

func (i mutatingInformer) Informer() cache.SharedIndexInformer { return i.configurations }
func (i mutatingInformer) Lister() configlisters.MutatingWebhookConfigurationLister {
	return configlisters.NewMutatingWebhookConfigurationLister(i.index)
}

type validatingInformer struct{ *configurations }

func (i validatingInformer) Informer() cache.SharedIndexInformer { return i.configurations }
func (i validatingInformer) Lister() configlisters.ValidatingWebhookConfigurationLister {
	return configlisters.NewValidatingWebhookConfigurationLister(i.index)
}
