package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// definitionsFirst moves CustomResourceDefinitions before what may need them,
// and namespaces behind them.
func definitionsFirst(docs []*document.Document) []*document.Document {
	rank := func(d *document.Document) int {
		switch d.Root.Get("kind").StringOr("") {
		case "CustomResourceDefinition":
			return 0
		case "Namespace":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(docs, func(x, y *document.Document) int { return rank(x) - rank(y) })
	return docs
}

// single returns the items of a List, or the object itself.
func single(v document.Value) []document.Value {
	if items := v.Get("items"); v.Get("kind").StringOr("") == "List" && items.Kind() == document.List {
		var out []document.Value
		for _, item := range items.Items() {
			out = append(out, item)
		}
		return out
	}
	return []document.Value{v}
}

// place puts an object into the cluster as it is, with its status and the
// owners of its fields: those are set by updates, as a create takes neither.
// A namespace that is there already stays as it is.
func place(ctx context.Context, c *cluster.Cluster, v document.Value) error {
	k, ok := c.Kinds().Of(v)
	if !ok || k.Resource == "" {
		return fmt.Errorf("there is no kind %q in %q; give its CRD with --crd", v.Get("kind").StringOr(""), v.Get("apiVersion").StringOr(""))
	}
	r := cluster.Request{
		Verb: cluster.Create, Group: k.Group, Version: k.Version, Resource: k.Resource, UserAgent: "patchlab/serve",
	}
	if k.Namespaced {
		r.Namespace = v.Get("metadata").Get("namespace").StringOr("default")
	}
	meta := v.Get("metadata")
	for _, key := range []string{"resourceVersion", "uid", "creationTimestamp", "generation", "deletionTimestamp", "selfLink"} {
		meta = meta.Without(key)
	}
	object := v.With("metadata", meta)
	if _, err := send(ctx, c, r, object); err != nil {
		var status *cluster.Status
		if k.Group == "" && k.Kind == "Namespace" && errors.As(err, &status) && status.Code == http.StatusConflict {
			return nil
		}
		return err
	}
	r.Verb, r.Name = cluster.Update, meta.Get("name").StringOr("")
	if r.Name == "" {
		return nil // the server made the name up, so there is nothing to keep
	}
	return settle(ctx, c, k, r, object)
}

// settle sets the status and the owners of an object that was just created.
func settle(ctx context.Context, c *cluster.Cluster, k *schema.Kind, r cluster.Request, object document.Value) error {
	meta := object.Get("metadata")
	current := func() (document.Value, error) {
		get := r
		get.Verb, get.Subresource = cluster.Get, ""
		return send(ctx, c, get, document.Value{})
	}
	if status := object.Get("status"); k.Status && status.Len() > 0 && k.Kind != "CustomResourceDefinition" {
		live, err := current()
		if err != nil {
			return err
		}
		r.Subresource = "status"
		if _, err := send(ctx, c, r, live.With("status", status)); err != nil {
			return fmt.Errorf("its status: %w", err)
		}
		r.Subresource = ""
	}
	if meta.Get("managedFields").Len() == 0 {
		return nil
	}
	live, err := current()
	if err != nil {
		return err
	}
	_, err = send(ctx, c, r, live.With("metadata", live.Get("metadata").With("managedFields", meta.Get("managedFields"))))
	return err
}

func send(ctx context.Context, c *cluster.Cluster, r cluster.Request, body document.Value) (document.Value, error) {
	if body.Exists() {
		r.Body = body.JSON()
	}
	response, err := c.Do(ctx, &r)
	if err != nil {
		return document.Value{}, err
	}
	return response.Object, nil
}
