//go:build !js

package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/store"
)

// kube-apiserver has an APIService for each version that it serves itself
// (kube-aggregator, pkg/controllers/autoregister). It creates those of built-in versions when it
// starts. Those of CustomResourceDefinitions follow the definitions, and are restored if a client
// changes or deletes them. As with the definitions themselves, this is done here before the request
// is answered.

// registrar keeps the APIServices of the versions of CustomResourceDefinitions.
type registrar struct {
	*Cluster
	// mu prevents one change from undoing what a concurrent one has just done.
	mu sync.Mutex
}

// registering marks the context of the registrar's own requests.
type registering struct{}

// RegisterVersions creates an APIService for each version that the cluster serves, as
// kube-apiserver does when it starts, and from then on for the versions of each new
// CustomResourceDefinition. It deletes that of a version which no definition serves any more.
// Existing APIServices of built-in versions, and those that clients have created, are not changed.
// A cluster that does not serve APIServices has none.
func (c *Cluster) RegisterVersions(ctx context.Context) error {
	r := &registrar{Cluster: c}
	_, defines := c.crdEndpoint("")
	if _, st := c.resolve(r.request(List, "", document.Value{})); st != nil || !defines {
		return nil // with Config.Kinds, neither kind need be served
	}
	served, custom := map[string]bool{}, map[string]bool{}
	for k := range c.kinds.Kinds() {
		served[k.Version+"."+k.Group] = true
		if !k.Builtin {
			custom[k.Group] = true
		}
	}
	for _, builtin := range kinds.BuiltinRegistrations() {
		if served[builtin.Name()] {
			if err := r.create(ctx, builtin); err != nil {
				return err
			}
		}
	}
	for _, group := range slices.Sorted(maps.Keys(custom)) {
		r.update(ctx, group)
	}
	update := r.update
	c.register.Store(&update)
	return nil
}

// update brings the APIServices of a group in line with its CustomResourceDefinitions. What fails
// is left to the next change in the group.
func (r *registrar) update(ctx context.Context, group string) {
	if ctx.Value(registering{}) != nil {
		return
	}
	ctx = context.WithValue(context.WithoutCancel(ctx), registering{}, true)
	r.mu.Lock()
	defer r.mu.Unlock()
	endpoint, _ := r.resolve(r.request(List, "", document.Value{}))
	services, err := r.inGroup(ctx, endpoint, group)
	if err != nil {
		return
	}
	wanted, err := r.customVersions(ctx, group)
	if err != nil {
		return
	}
	for _, service := range services {
		name := meta(service, "name")
		version, serves := wanted[name]
		delete(wanted, name)
		if meta(service, "deletionTimestamp") != "" || !kinds.FollowsDefinitions(service) {
			continue
		}
		switch {
		case !serves:
			_, _ = r.Do(ctx, r.request(Delete, name, document.Value{}))
		case !document.Equal(service.Get("spec"), version.Spec()):
			_, _ = r.Do(ctx, r.request(Update, name, service.With("spec", version.Spec())))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		_ = r.create(ctx, wanted[name])
	}
}

// customVersions returns the versions of a group that CustomResourceDefinitions serve, by the name
// of the APIService.
func (r *registrar) customVersions(ctx context.Context, group string) (map[string]kinds.Registration, error) {
	endpoint, _ := r.crdEndpoint("")
	definitions, err := r.inGroup(ctx, endpoint, group)
	if err != nil {
		return nil, err
	}
	versions := map[string]kinds.Registration{}
	for _, crd := range definitions {
		for _, version := range crd.Lookup("spec", "versions").Items() {
			if served, _ := version.Get("served").Bool(); served {
				v := kinds.CustomRegistration(version.Get("name").StringOr(""), group)
				versions[v.Name()] = v
			}
		}
	}
	return versions, nil
}

// create creates an APIService unless it exists.
func (r *registrar) create(ctx context.Context, version kinds.Registration) error {
	ep, st := r.resolve(r.request(Get, version.Name(), document.Value{}))
	if st != nil {
		return st
	}
	if _, err := r.store.Get(ctx, ep.key("", version.Name()), store.GetOptions{}); err == nil {
		return nil
	}
	_, err := r.Do(ctx, r.request(Create, "", version.Object()))
	if st := (*Status)(nil); errors.As(err, &st) && st.Reason == ReasonAlreadyExists {
		return nil
	}
	return err
}

// request returns a request about an APIService by the API server itself. object is absent unless
// the verb needs one.
func (r *registrar) request(verb Verb, name string, object document.Value) *Request {
	resource := kinds.Find(func(s *kinds.Strategy) bool { return s.Registers })
	request := (&Request{Verb: verb, Group: resource.Group, Version: "v1", Resource: resource.Resource, Name: name}).AsServer()
	if object.Exists() {
		request.Document = &document.Document{Root: object}
	}
	return request
}
