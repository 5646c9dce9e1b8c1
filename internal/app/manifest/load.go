package manifest

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Load creates objects in a cluster with their status and field owners. Their identity
// is kept (cluster.Request.Restore), so that references to them remain valid: the garbage
// collector would delete dependents whose owner has another uid. An existing Namespace is not
// changed. userAgent is the User-Agent of the requests; it becomes the manager of
// fields without a known owner. An error includes the position of the invalid field.
func Load(ctx context.Context, c *cluster.Cluster, userAgent string, objects ...Object) error {
	for _, o := range objects {
		if err := load(ctx, c, userAgent, o.Value); err != nil {
			return fmt.Errorf("%s: %w", o.PositionOf(WrongField(err)), err)
		}
	}
	return nil
}

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

func load(ctx context.Context, c *cluster.Cluster, userAgent string, object document.Value) error {
	k, ok := c.Kinds().Of(object)
	if !ok || k.Resource == "" {
		return fmt.Errorf("no kind %q is registered for version %q; add its CustomResourceDefinition",
			object.Get("kind").StringOr(""), object.Get("apiVersion").StringOr(""))
	}
	l := loading{cluster: c, kind: k, object: object, request: cluster.Request{
		Verb: cluster.Create, Group: k.Group, Version: k.Version, Resource: k.Resource, UserAgent: userAgent, Restore: true}}
	if k.Namespaced {
		l.request.Namespace = object.Lookup("metadata", "namespace").StringOr("default")
	}
	if err := l.create(ctx); err != nil {
		var status *cluster.Status
		if k.Group == "" && k.Kind == "Namespace" && errors.As(err, &status) && status.Reason == cluster.ReasonAlreadyExists {
			return nil
		}
		return err
	}
	if l.request.Name = object.Lookup("metadata", "name").StringOr(""); l.request.Name == "" {
		return nil // the server has generated the name
	}
	if err := l.update(ctx, "ephemeralcontainers", l.ephemeralContainers(), "spec", "ephemeralContainers"); err != nil {
		return err
	}
	if err := l.setStatus(ctx); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	// The previous writes have added entries to managedFields.
	return l.update(ctx, "", l.object.Lookup("metadata", "managedFields"), "metadata", "managedFields")
}

// loading is the creation of one object.
type loading struct {
	cluster *cluster.Cluster
	kind    *schema.Kind
	object  document.Value
	request cluster.Request
}

// create creates the object without the fields that only a stored object has.
func (l *loading) create(ctx context.Context) error {
	metadata := l.object.Get("metadata")
	for _, key := range [...]string{"resourceVersion", "selfLink"} {
		metadata = metadata.Without(key)
	}
	object := l.object.With("metadata", metadata)
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
	return l.object.Lookup("spec", "ephemeralContainers")
}

// setStatus updates the status, which a create ignores.
func (l *loading) setStatus(ctx context.Context) error {
	if !l.kind.Status || l.kind.Kind == crdKind {
		return nil
	}
	return l.update(ctx, "status", l.object.Get("status"), "status")
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
