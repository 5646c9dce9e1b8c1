//go:build js && !watches

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/schema"
)

// Nothing watches or lists with selectors in a browser, nor deletes collections, and its engines are smaller without
// that. The tag watches adds it for the tests that replay recordings.

type watcher struct{}

func (w *watcher) endAt(int64) {}

// watch refuses watches.
func (c *Cluster) watch(context.Context, *Request, *endpoint) (*Reading, *Status) {
	return nil, notAllowedHere()
}

// selection selects all objects of a resource, in a namespace or in all.
type selection struct {
	scope  string
	single bool
}

func (c *Cluster) selection(r *Request, ep *endpoint) (*selection, *Status) {
	if r.LabelSelector != "" || r.FieldSelector != "" {
		return nil, notAllowedHere()
	}
	return &selection{scope: ep.key(r.Namespace, "")}, nil
}

func (*selection) all() bool { return true }

func (*pipeline) matches(*selection, *schema.Kind, *Record) (bool, *Status) { return true, nil }

// deleteCollection refuses to delete collections.
func (c *Cluster) deleteCollection(context.Context, *Request, *endpoint) (*Response, *Status) {
	return nil, notAllowedHere()
}

// readDeletion refuses DeleteOptions in a body: the deletions of scenarios have none.
func (*pipeline) readDeletion(*Request) (Deletion, []string, *Status) {
	return Deletion{}, nil, notAllowedHere()
}
