package cluster

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// Existing converts an object that an API server has returned into an item for the initial
// contents of a store. Its fields, including uid, timestamps, resourceVersion and
// managedFields, are kept, and it is not validated. Missing metadata is set: the namespace
// "default", uid, creationTimestamp and generation. Without a resourceVersion the item's
// revision is 0. Unknown fields are dropped and reported as warnings. A [Cluster] over a store
// with the item serves the object. A non-nil error is a [*Status].
func (c *Cluster) Existing(object document.Value) (store.Item[*Record], []string, error) {
	item, warnings, st := c.existing(object)
	if st != nil {
		return item, warnings, st
	}
	return item, warnings, nil
}

func (c *Cluster) existing(object document.Value) (item store.Item[*Record], warnings []string, st *Status) {
	k, ok := c.kinds.Of(object)
	if !ok || k.Resource == "" {
		return item, nil, badRequest("no kind " + strconv.Quote(object.Get("kind").StringOr("")) + " is registered for version " +
			strconv.Quote(object.Get("apiVersion").StringOr("")) + "; a custom resource needs its CustomResourceDefinition")
	}
	name := meta(object, "name")
	if name == "" {
		return item, nil, badRequest("metadata.name is required for an existing object")
	}
	if item.Revision, st = existingRevision(object); st != nil {
		return item, nil, st
	}
	o, err := fieldmanager.Split(object)
	if err != nil {
		return item, nil, badRequest(err.Error())
	}
	value, problems, err := c.decode(k, o.Value, defaults.FromTree)
	if err != nil {
		return item, nil, decodeStatus(k, o.Value, err)
	}
	o.Value = c.rules.PrepareForRead(k, c.asCreated(k, value), c.config.UID)
	if item.Value, st = c.stored(k, o, basis{}); st != nil {
		return item, nil, st
	}
	item.Key = c.endpointOf(k).key(meta(o.Value, "namespace"), name)
	return item, messages(problems), nil
}

// existingRevision returns the revision in the object's resourceVersion, 0 if it has none.
func existingRevision(object document.Value) (int64, *Status) {
	n, err := revision(meta(object, "resourceVersion"))
	if err != nil {
		return 0, badRequest("metadata.resourceVersion: " + strconv.Quote(meta(object, "resourceVersion")) + " is not a number")
	}
	return n, nil
}

// asCreated sets missing metadata that every object gets at its creation.
func (c *Cluster) asCreated(k *schema.Kind, object document.Value) document.Value {
	switch namespace := meta(object, "namespace"); {
	case !k.Namespaced:
		object = withMeta(object, "namespace", document.Value{})
	case namespace == "":
		object = withMeta(object, "namespace", document.NewString("default"))
	}
	if meta(object, "uid") == "" {
		object = withMeta(object, "uid", document.NewString(c.config.UID()))
	}
	if !hasMeta(object, "creationTimestamp") {
		object = withMeta(object, "creationTimestamp", document.NewString(formatTime(c.config.Now())))
	}
	if metaInt(object, "generation") == 0 && hasFirstGeneration(c.strategy(k)) {
		object = withMeta(object, "generation", document.NewInt(1))
	}
	return object
}
