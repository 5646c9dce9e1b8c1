package manifest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// Load creates objects in a cluster with their status and field owners. Their identity
// is kept (cluster.Request.Restore), so that references to them remain valid: the garbage
// collector would delete dependents whose owner has another uid. An existing Namespace is not
// changed. userAgent is the User-Agent of the requests; it becomes the manager of
// fields without a known owner. A CustomResourceDefinition that is being deleted is deleted
// after its objects are loaded, because it accepts no new ones. An error is a *LoadError.
func Load(ctx context.Context, c *cluster.Cluster, userAgent string, objects ...Object) error {
	var ending []*loading
	for _, o := range objects {
		l, err := load(ctx, c, userAgent, o)
		if err != nil {
			return &LoadError{o, err}
		}
		if l.ends() {
			ending = append(ending, l)
		}
	}
	for _, l := range ending {
		if _, err := l.do(ctx, cluster.Delete, document.Value{}); err != nil {
			return &LoadError{l.Object, err}
		}
	}
	return nil
}

// Missing returns the objects that a cluster does not have. Dumps of a cluster contain the objects
// that every cluster has from the beginning, such as the Service kubernetes, and the APIServices that
// the API server creates with the CustomResourceDefinitions among the objects.
func Missing(ctx context.Context, c *cluster.Cluster, objects []Object) []Object {
	return slices.DeleteFunc(objects, func(o Object) bool { return kinds.Automanaged(o.Value) || exists(ctx, c, o.Value) })
}

func exists(ctx context.Context, c *cluster.Cluster, object document.Value) bool {
	k, known := c.Kinds().Of(object)
	name := object.Lookup("metadata", "name").StringOr("")
	if !known || k.Resource == "" || name == "" {
		return false
	}
	r := cluster.Request{Verb: cluster.Get, Group: k.Group, Version: k.Version, Resource: k.Resource, Name: name}
	if k.Namespaced {
		r.Namespace = object.Lookup("metadata", "namespace").StringOr("default")
	}
	_, err := c.Do(ctx, &r)
	return err == nil
}

// A LoadError is the failure to load an object.
type LoadError struct {
	Object Object
	Err    error
}

// Error includes the position of the invalid field if the object has a text.
func (e *LoadError) Error() string {
	if at := e.Object.PositionOf(WrongField(e.Err)).String(); at != "" {
		return at + ": " + e.Err.Error()
	}
	return e.Err.Error()
}

func (e *LoadError) Unwrap() error { return e.Err }

// WrongField returns the path of the field that an error of a cluster concerns, nil if it
// concerns the whole object.
func WrongField(err error) document.Path {
	var status *cluster.Status
	if !errors.As(err, &status) {
		return nil
	}
	if fields := status.Fields(); len(fields) > 0 {
		return fields[0].Path
	}
	return nil
}

// load creates one object.
func load(ctx context.Context, c *cluster.Cluster, userAgent string, o Object) (*loading, error) {
	k, ok := c.Kinds().Of(o.Value)
	if apiVersion := o.Value.Get("apiVersion").StringOr(""); apiVersion == "" || o.Kind() == "" {
		return nil, errors.New("apiVersion and kind are required")
	} else if !ok || k.Resource == "" {
		return nil, fmt.Errorf("no kind %q is registered for version %q; add its CustomResourceDefinition", o.Kind(), apiVersion)
	}
	l := &loading{Object: o, cluster: c, kind: k, request: cluster.Request{
		Verb: cluster.Create, Group: k.Group, Version: k.Version, Resource: k.Resource, UserAgent: userAgent, Restore: true}}
	if k.Namespaced {
		l.request.Namespace = o.Value.Lookup("metadata", "namespace").StringOr("default")
	}
	if err := l.create(ctx); err != nil {
		var status *cluster.Status
		if k.Group == "" && k.Kind == "Namespace" && errors.As(err, &status) && status.Reason == cluster.ReasonAlreadyExists {
			return l, nil
		}
		return nil, err
	}
	if l.request.Name = o.Value.Lookup("metadata", "name").StringOr(""); l.request.Name == "" {
		return l, nil // the server has generated the name
	}
	if err := l.update(ctx, "ephemeralcontainers", l.ephemeralContainers(), "spec", "ephemeralContainers"); err != nil {
		return nil, err
	}
	if err := l.setStatus(ctx); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	// The previous writes have added entries to managedFields.
	return l, l.update(ctx, "", o.Value.Lookup("metadata", "managedFields"), "metadata", "managedFields")
}

// loading is the creation of one object.
type loading struct {
	Object
	cluster *cluster.Cluster
	kind    *schema.Kind
	request cluster.Request
}

// ends reports whether the object is a CustomResourceDefinition that is being deleted.
func (l *loading) ends() bool {
	return l.kind.Kind == crdKind && l.Value.Lookup("metadata", "deletionTimestamp").Exists()
}

// create creates the object without the fields that only a stored object has.
func (l *loading) create(ctx context.Context) error {
	metadata := l.Value.Get("metadata")
	for _, key := range [...]string{"resourceVersion", "selfLink"} {
		metadata = metadata.Without(key)
	}
	if l.ends() {
		metadata = metadata.Without("deletionTimestamp")
	}
	object := l.Value.With("metadata", metadata)
	if l.ephemeralContainers().Exists() {
		object = object.Remove("spec", "ephemeralContainers")
	}
	_, err := l.do(ctx, cluster.Create, object)
	return err
}

// ephemeralContainers returns those of a Pod, which cannot be created with it.
func (l *loading) ephemeralContainers() document.Value {
	if l.kind.Group != "" || l.kind.Kind != "Pod" {
		return document.Value{}
	}
	return l.Value.Lookup("spec", "ephemeralContainers")
}

// setStatus updates the status, which a create ignores.
func (l *loading) setStatus(ctx context.Context) error {
	if !l.kind.Status || l.kind.Kind == crdKind {
		return nil
	}
	return l.update(ctx, "status", l.Value.Get("status"), "status")
}

// update sets a field of the created object through a subresource, "" for the object itself. A
// value without contents is left out.
func (l *loading) update(ctx context.Context, subresource string, v document.Value, field ...string) error {
	if v.Len() == 0 {
		return nil
	}
	live, err := l.do(ctx, cluster.Get, document.Value{})
	if err != nil {
		return err
	}
	l.request.Subresource = subresource
	defer func() { l.request.Subresource = "" }()
	_, err = l.do(ctx, cluster.Update, live.Set(v, field...))
	return err
}

func (l *loading) do(ctx context.Context, verb cluster.Verb, body document.Value) (document.Value, error) {
	r := l.request
	r.Verb = verb
	if body.Exists() {
		r.Document = &document.Document{Root: body}
	}
	response, err := l.cluster.Do(ctx, &r)
	if err != nil {
		return document.Value{}, err
	}
	return response.Object, nil
}
