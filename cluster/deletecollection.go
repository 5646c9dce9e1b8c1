//go:build !js || watches

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

// deleteCollection deletes the selected objects one by one. As in kube-apiserver, objects that
// were deleted before a failure remain deleted.
func (c *Cluster) deleteCollection(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st
	}
	d, st := c.newDeletion(r, ep)
	if st != nil {
		return nil, st
	}
	resp, st := d.selected(ctx, s)
	if st != nil {
		return nil, st.warning(d.warnings)
	}
	resp.Warnings = append(d.warnings, resp.Warnings...)
	return resp, nil
}

// selected deletes the objects of a selection and returns them as a list, in the state before
// their deletion.
func (d *deletion) selected(ctx context.Context, s *selection) (*Response, *Status) {
	page, st := d.page(ctx, d.Request, d.ep, s)
	if st != nil {
		return nil, st
	}
	var items document.ListBuilder
	for _, item := range page.Items {
		shown, st := d.show(d.ep.kind, versioned(item.Value.tree(), item.Revision))
		if st != nil {
			return nil, st
		}
		name := meta(item.Value.tree().Value, "name")
		if _, st := d.deleteOne(ctx, d.Namespace, name); st != nil && st.Reason != ReasonNotFound {
			return nil, st
		}
		if d.ep.kind.Builtin {
			shown = shown.Without("kind").Without("apiVersion")
		}
		items.Append(shown)
	}
	return &Response{Code: 200, Object: listOf(d.ep, listMetadata(d.ep, page), items.List())}, nil
}
