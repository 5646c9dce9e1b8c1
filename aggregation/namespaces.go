package aggregation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// namespaceController is the user of the requests by which the objects in a namespace are deleted.
func namespaceController() cluster.User {
	const namespace = "kube-system"
	return cluster.User{
		Name:   names.ServiceAccountUser(namespace, "namespace-controller"),
		Groups: append(names.ServiceAccountGroups(namespace), names.Authenticated),
	}
}

// Serves reports whether an extension API server serves a version of a group.
func (a *Aggregator) Serves(group, version string) bool { return a.Find(group, version) != nil }

// DeleteAll deletes the objects that a namespace has in extension API servers, as the namespace controller does
// (k8s.io/kubernetes/pkg/controller/namespace/deletion), and returns what is left. Versions whose resources are not
// known are left out.
func (a *Aggregator) DeleteAll(ctx context.Context, namespace string) controllers.Left {
	left := controllers.Left{Resources: map[string]int{}, Finalizers: map[string]int{}}
	seen := map[string]bool{}
	for _, b := range a.inOrder(ctx) {
		to := b.current.Load()
		resources, current := b.Resources()
		if !current {
			left.Undiscovered = append(left.Undiscovered, schema.APIVersion(to.group, to.version))
		}
		for _, r := range resources {
			name := r.Resource + "." + to.group
			if r.Scope != "Namespaced" || seen[name] || !slices.Contains(r.Verbs, "delete") {
				continue
			}
			seen[name] = true
			if err := b.deleteAll(ctx, to, r, namespace, &left); err != nil {
				left.Failed = append(left.Failed, err)
			}
		}
	}
	return left
}

// inOrder returns the extension API servers in the order of discovery, in which the preferred version comes first.
func (a *Aggregator) inOrder(ctx context.Context) []*Backend {
	backends := a.Backends()
	versions, err := a.Versions(ctx)
	if err != nil {
		return backends
	}
	place := map[groupVersion]int{}
	for i, v := range versions {
		place[groupVersion{v.Group, v.Version}] = i
	}
	slices.SortStableFunc(backends, func(x, y *Backend) int {
		v, w := x.Version(), y.Version()
		return place[groupVersion{v.Group, v.Version}] - place[groupVersion{w.Group, w.Version}]
	})
	return backends
}

// partialList is a list of the metadata of objects.
type partialList struct {
	Metadata struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items []struct {
		Metadata struct {
			Name       string   `json:"name"`
			Finalizers []string `json:"finalizers"`
		} `json:"metadata"`
	} `json:"items"`
}

// pageSize is the number of objects that are listed at once, and maxPages how often. A namespace with more objects is
// examined again when these are gone.
const (
	pageSize = "500"
	maxPages = 100
)

// content is the objects of a resource in a namespace.
type content struct {
	backend *Backend
	to      *connection
	path    string
	name    string // of the resource, such as "pods.metrics.k8s.io"
}

// deleteAll deletes the objects of a resource in a namespace, and counts those that are left.
func (b *Backend) deleteAll(ctx context.Context, to *connection, r Resource, namespace string, left *controllers.Left) error {
	c := content{b, to, to.path() + "/namespaces/" + namespace + "/" + r.Resource, r.Resource + "." + to.group}
	lists := slices.Contains(r.Verbs, "list")
	together := slices.Contains(r.Verbs, "deletecollection")
	if together {
		var err error
		if together, err = c.delete(ctx, ""); err != nil {
			return err
		}
	}
	if !together && lists {
		var all []string
		if err := c.list(ctx, func(name string, _ []string) { all = append(all, name) }); err != nil {
			return err
		}
		for _, name := range all {
			if _, err := c.delete(ctx, "/"+url.PathEscape(name)); err != nil {
				return err
			}
		}
	}
	if !lists {
		return nil
	}
	return c.list(ctx, func(_ string, finalizers []string) {
		left.Resources[c.name]++
		for _, f := range finalizers {
			left.Finalizers[f]++
		}
	})
}

// list calls each with the objects of at most maxPages pages. A server that has no such list has no objects.
func (c content) list(ctx context.Context, each func(name string, finalizers []string)) error {
	query := url.Values{"limit": {pageSize}}
	for range maxPages {
		header := http.Header{"Accept": {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}}
		answer, err := c.backend.send(ctx, c.to, http.MethodGet, c.path+"?"+query.Encode(), nil, header, namespaceController())
		switch {
		case err != nil:
			return c.unreachable("get")
		case answer.isAbsent():
			return nil
		case answer.code != http.StatusOK:
			return c.refusal("get", answer)
		}
		var list partialList
		if err := json.Unmarshal(answer.body, &list); err != nil {
			return fmt.Errorf("the list of %s cannot be read: %w", c.name, err)
		}
		for _, item := range list.Items {
			each(item.Metadata.Name, item.Metadata.Finalizers)
		}
		if list.Metadata.Continue == "" {
			return nil
		}
		query.Set("continue", list.Metadata.Continue)
	}
	return nil
}

// delete deletes an object, or all without its path. served is false if the server cannot do so, or if the object does not
// exist.
func (c content) delete(ctx context.Context, path string) (served bool, err error) {
	body := []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`)
	header := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
	answer, err := c.backend.send(ctx, c.to, http.MethodDelete, c.path+path, body, header, namespaceController())
	switch {
	case err != nil:
		return false, c.unreachable("delete")
	case answer.isAbsent():
		return false, nil
	case answer.code/100 != 2:
		return false, c.refusal("delete", answer)
	}
	return true, nil
}

// isAbsent reports whether a server has no such path or method.
func (f *fetched) isAbsent() bool {
	return f.code == http.StatusNotFound || f.code == http.StatusMethodNotAllowed
}

// unreachable is what clients of kube-apiserver report if it cannot reach a service.
func (c content) unreachable(verb string) error {
	return fmt.Errorf("the server is currently unable to handle the request (%s %s)", verb, c.name)
}

// refusal returns the error that clients report for an answer.
func (c content) refusal(verb string, f *fetched) error {
	var status struct {
		Message string `json:"message"`
	}
	switch {
	case json.Unmarshal(f.body, &status) == nil && status.Message != "":
		return errors.New(status.Message)
	case f.code == http.StatusServiceUnavailable:
		return c.unreachable(verb)
	}
	return fmt.Errorf("an error on the server (%q) has prevented the request from succeeding (%s %s)", bytes.TrimSpace(f.body[:min(len(f.body), 200)]), verb, c.name)
}
