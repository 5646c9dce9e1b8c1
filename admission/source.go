package admission

import (
	"context"
	"errors"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// resourceGroup is the API group of device classes and resource claims.
const resourceGroup = "resource.k8s.io"

// configGroup is the API group of webhook configurations and policies.
const configGroup = "admissionregistration.k8s.io"

// source reads the current objects of the cluster for the plugins. kube-apiserver uses
// informers instead, which lag behind.
type source struct{ cluster *cluster.Cluster }

// configured reports whether a webhook configuration or policy exists.
func (s *source) configured() (bool, error) {
	for _, resource := range [...]string{
		"mutatingwebhookconfigurations", "validatingwebhookconfigurations", "validatingadmissionpolicies", "mutatingadmissionpolicies",
	} {
		if list, err := s.list(configGroup, "v1", resource, ""); err != nil || len(list) > 0 {
			return len(list) > 0, err
		}
	}
	return false, nil
}

// list returns the objects of a resource in a namespace, or in all namespaces for "". For a
// resource that is not served the list is empty.
func (s *source) list(group, version, resource, namespace string) ([]document.Value, error) {
	resp, err := s.cluster.Do(context.Background(), &cluster.Request{
		Verb: cluster.List, Group: group, Version: version, Resource: resource, Namespace: namespace})
	var status *cluster.Status
	switch {
	case errors.As(err, &status) && status.Code == http.StatusNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return resp.Items(), nil
}

// get returns an object. Its errors are those of k8s.io/apimachinery.
func (s *source) get(group, version, resource, namespace, name string) (document.Value, error) {
	resp, err := s.cluster.Do(context.Background(), &cluster.Request{
		Verb: cluster.Get, Group: group, Version: version, Resource: resource, Namespace: namespace, Name: name})
	var status *cluster.Status
	switch {
	case errors.As(err, &status) && status.Code == http.StatusNotFound:
		return document.Value{}, apierrors.NewNotFound(apischema.GroupResource{Group: group, Resource: resource}, name)
	case err != nil:
		return document.Value{}, apierrors.NewInternalError(err)
	}
	return resp.Object, nil
}

// typedList lists the objects of a resource of admissionregistration.k8s.io.
func typedList[T any](s *source, resource string) ([]*T, error) {
	list, err := s.list(configGroup, "v1", resource, "")
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(list))
	for i, item := range list {
		out[i] = new(T)
		if err := convert.Typed(item, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// namespaces is a lister that reads Namespaces from the cluster. The plugins do not call the
// methods that are missing.
type namespaces struct {
	corelisters.NamespaceLister
	source *source
}

func (n namespaces) Get(name string) (*corev1.Namespace, error) {
	v, err := n.source.get("", "v1", "namespaces", "", name)
	if err != nil {
		return nil, err
	}
	out := new(corev1.Namespace)
	return out, convert.Typed(v, out)
}

// namespaceInformer is an informer whose index is the cluster.
type namespaceInformer struct {
	synced
	namespaces namespaces
}

func (i namespaceInformer) GetIndexer() cache.Indexer {
	return namespaceIndex{namespaces: i.namespaces}
}

type namespaceIndex struct {
	cache.Indexer
	namespaces namespaces
}

func (i namespaceIndex) GetByKey(name string) (any, bool, error) {
	namespace, err := i.namespaces.Get(name)
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	return namespace, err == nil, err
}

// client is a clientset that reads Namespaces.
type client struct {
	kubernetes.Interface
	source *source
}

func (c client) CoreV1() coreclient.CoreV1Interface { return coreClient{source: c.source} }

type coreClient struct {
	coreclient.CoreV1Interface
	source *source
}

func (c coreClient) Namespaces() coreclient.NamespaceInterface {
	return namespaceClient{source: c.source}
}

type namespaceClient struct {
	coreclient.NamespaceInterface
	source *source
}

func (c namespaceClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return namespaces{source: c.source}.Get(name)
}

// synced is an informer that always reports to be synced.
type synced struct{ cache.SharedIndexInformer }

func (synced) HasSynced() bool { return true }

// params reads the parameters of policies, which are objects of one kind. It implements an
// informer, a lister and a namespaced lister.
type params struct {
	source    *source
	kind      *schema.Kind
	namespace string
}

var _ informers.GenericInformer = params{}

func (p params) Informer() cache.SharedIndexInformer { return synced{} }
func (p params) Lister() cache.GenericLister         { return p }
func (p params) ByNamespace(namespace string) cache.GenericNamespaceLister {
	p.namespace = namespace
	return p
}

func (p params) Get(name string) (runtime.Object, error) {
	v, err := p.source.get(p.kind.Group, p.kind.Version, p.kind.Resource, p.namespace, name)
	if err != nil {
		return nil, err
	}
	return unstructuredOf(v), nil
}

func (p params) List(selector labels.Selector) ([]runtime.Object, error) {
	list, err := p.source.list(p.kind.Group, p.kind.Version, p.kind.Resource, p.namespace)
	if err != nil {
		return nil, err
	}
	var out []runtime.Object
	for _, v := range list {
		object := unstructuredOf(v)
		if object.GetKind() == "" { // items of built-in lists have no apiVersion and kind
			object.SetGroupVersionKind(kindOf(p.kind))
		}
		if selector.Matches(labels.Set(object.GetLabels())) {
			out = append(out, object)
		}
	}
	return out, nil
}
