package aggregation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// The times of kube-apiserver's discovery manager (k8s.io/kube-aggregator/pkg/apiserver, handler_discovery.go).
const (
	discoveryInterval = time.Minute
	firstRediscovery  = 500 * time.Millisecond
)

// maxDocument is the size in bytes of the largest document that is read from an extension API server.
const maxDocument = 8 << 20

// aggregatedForms are the media types of the aggregated discovery document.
const aggregatedForms = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

// discovered is what is known about the resources of a version.
type discovered struct {
	Resources []Resource
	// Current is false if the extension API server could not be asked, so that the resources are not known.
	Current bool
	// etag is that of the document.
	etag string
}

// The types of the aggregated discovery document (apidiscovery.k8s.io/v2).
type (
	// Resource is a resource of a version, in the form of the discovery document of
	// apidiscovery.k8s.io/v2 (APIResourceDiscovery).
	Resource struct {
		Resource     string        `json:"resource"`
		ResponseKind *Kind         `json:"responseKind,omitempty"`
		Scope        string        `json:"scope"`
		Singular     string        `json:"singularResource"`
		Verbs        []string      `json:"verbs"`
		ShortNames   []string      `json:"shortNames,omitempty"`
		Categories   []string      `json:"categories,omitempty"`
		Subresources []Subresource `json:"subresources,omitempty"`
	}
	// Subresource is a subresource of a Resource.
	Subresource struct {
		Subresource   string   `json:"subresource"`
		ResponseKind  *Kind    `json:"responseKind,omitempty"`
		AcceptedTypes []Kind   `json:"acceptedTypes,omitempty"`
		Verbs         []string `json:"verbs"`
	}
	// Kind is the kind of the objects of a resource.
	Kind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
)

// Resources returns the resources of the version. They are not known, and current is false, if the extension API
// server could not be asked.
func (b *Backend) Resources() (resources []Resource, current bool) {
	if d := b.discovery.Load(); d != nil {
		return d.Resources, d.Current
	}
	return nil, false
}

// discover fetches the discovery document of the version, and the list of OpenAPI documents. A service that has not been available yet is not asked.
func (b *Backend) discover(ctx context.Context) error {
	to := b.current.Load()
	known := b.discovery.Load()
	if known == nil && !to.available {
		b.discovery.Store(&discovered{})
		return nil
	}
	next, err := b.fetchAggregated(ctx, to, known)
	if err != nil {
		next = &discovered{}
	}
	if ctx.Err() == nil {
		b.discovery.Store(next)
	}
	return errors.Join(err, b.fetchDocuments(ctx, to))
}

// fetchAggregated fetches the aggregated document, or that of the version from an API server that has no aggregated
// one.
func (b *Backend) fetchAggregated(ctx context.Context, to *connection, known *discovered) (*discovered, error) {
	header := http.Header{"Accept": {aggregatedForms}}
	if known != nil && known.Current && known.etag != "" {
		header.Set("If-None-Match", known.etag)
	}
	answer, err := b.fetch(ctx, to, "/apis", header, aggregatorUser(true))
	switch {
	case err != nil:
		return nil, err
	case answer.code == http.StatusNotModified:
		return known, nil
	case answer.code == http.StatusServiceUnavailable:
		return nil, fmt.Errorf("the service answered with %d", answer.code)
	case answer.code != http.StatusOK || !isAggregated(answer.header.Get("Content-Type")):
		return b.fetchVersion(ctx, to)
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Versions []struct {
				Version   string     `json:"version"`
				Resources []Resource `json:"resources"`
			} `json:"versions"`
		} `json:"items"`
	}
	if err := json.Unmarshal(answer.body, &list); err != nil {
		return nil, err
	}
	next := &discovered{Current: true, etag: answer.header.Get("ETag")}
	for _, group := range list.Items {
		for _, version := range group.Versions {
			if group.Metadata.Name == to.group && version.Version == to.version {
				next.Resources = withKinds(version.Resources)
			}
		}
	}
	return next, nil
}

// isAggregated reports whether a Content-Type is that of an aggregated discovery document.
func isAggregated(contentType string) bool {
	return strings.Contains(contentType, "g=apidiscovery.k8s.io") && strings.Contains(contentType, "as=APIGroupDiscoveryList")
}

// withKinds sets the kinds that are missing to empty ones, which older clients rely on.
func withKinds(resources []Resource) []Resource {
	for i := range resources {
		if r := &resources[i]; r.ResponseKind == nil {
			r.ResponseKind = &Kind{}
		}
		for j := range resources[i].Subresources {
			if s := &resources[i].Subresources[j]; s.ResponseKind == nil {
				s.ResponseKind = &Kind{}
			}
		}
	}
	return resources
}

// fetchVersion fetches the discovery document of the version alone.
func (b *Backend) fetchVersion(ctx context.Context, to *connection) (*discovered, error) {
	answer, err := b.fetch(ctx, to, to.path(), http.Header{"Accept": {"application/json"}}, aggregatorUser(false))
	if err != nil {
		return nil, err
	}
	if answer.code != http.StatusOK {
		return nil, fmt.Errorf("the service answered a request for %s with %d", to.path(), answer.code)
	}
	var list struct {
		Resources []versionResource `json:"resources"`
	}
	if err := json.Unmarshal(answer.body, &list); err != nil {
		return nil, err
	}
	resources, err := nested(list.Resources)
	return &discovered{Resources: resources, Current: true}, err
}

// versionResource is a resource or subresource in the discovery document of a version (metav1.APIResource).
type versionResource struct {
	Name       string   `json:"name"`
	Singular   string   `json:"singularName"`
	Namespaced bool     `json:"namespaced"`
	Group      string   `json:"group"`
	Version    string   `json:"version"`
	Kind       string   `json:"kind"`
	Verbs      []string `json:"verbs"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
}

// nested returns resources with their subresources (k8s.io/apiserver/pkg/endpoints, ConvertGroupVersionIntoToDiscovery).
func nested(list []versionResource) ([]Resource, error) {
	var resources []Resource
	place := map[string]int{}
	for _, r := range list {
		if strings.Contains(r.Name, "/") {
			continue
		}
		place[r.Name] = len(resources)
		resources = append(resources, Resource{
			Resource: r.Name, Scope: r.scope(), ResponseKind: &Kind{r.Group, r.Version, r.Kind}, Singular: r.Singular,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		})
	}
	for _, r := range list {
		name, sub, ok := strings.Cut(r.Name, "/")
		if !ok {
			continue
		}
		i, ok := place[name]
		if !ok {
			i = len(resources)
			place[name] = i
			resources = append(resources, Resource{Resource: name, Scope: r.scope(), ResponseKind: &Kind{}})
		}
		if resources[i].Scope != r.scope() {
			return nil, errors.New("the resource " + name + " and its subresource " + sub + " differ in their scope")
		}
		kind := &Kind{}
		if r.Kind != "" {
			kind = &Kind{r.Group, r.Version, r.Kind}
		}
		resources[i].Subresources = append(resources[i].Subresources, Subresource{Subresource: sub, ResponseKind: kind, Verbs: r.Verbs})
	}
	return resources, nil
}

func (r versionResource) scope() string {
	if r.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// fetched is the answer to a request of the aggregation layer itself.
type fetched struct {
	code   int
	header http.Header
	body   []byte
}

// fetch requests a document from the service.
func (b *Backend) fetch(ctx context.Context, to *connection, path string, header http.Header, u cluster.User) (*fetched, error) {
	return b.send(ctx, to, http.MethodGet, path, nil, header, u)
}

// send sends a request of the aggregation layer itself to the service. The path may have a query.
func (b *Backend) send(ctx context.Context, to *connection, method, path string, body []byte, header http.Header, u cluster.User) (*fetched, error) {
	if to.err != nil {
		return nil, to.err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	location, err := b.aggregator.locate(ctx, *to.service)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, location.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	setUser(header, u)
	response, err := to.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(answer) > maxDocument {
		return nil, fmt.Errorf("%s is larger than %d bytes", location, maxDocument)
	}
	return &fetched{response.StatusCode, response.Header, answer}, nil
}
