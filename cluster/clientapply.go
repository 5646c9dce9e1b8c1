package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// ClientApply returns the request that 'kubectl apply' sends without --server-side: if there is no
// live object, a create of the configuration with itself in an annotation, otherwise the three-way
// patch between that annotation, the configuration and the live object. The request has a verb, a
// format and a document. It is nil if the patch would change nothing. engine computes the patch; nil
// is patchlab's own. An error is that of [patch.ClientApply].
func ClientApply(kind *schema.Kind, live, config document.Value, engine patch.Engine) (*Request, error) {
	if !live.Exists() {
		// kubectl clears the resourceVersion of an exported object, and removes nulls so that a create has
		// the result of an update.
		created := patch.WithoutNulls(patch.WithLastApplied(config).Remove("metadata", "resourceVersion"))
		return &Request{Verb: Create, Format: JSON, Document: &document.Document{Root: created}}, nil
	}
	p, patchType, err := patch.ClientApply(live, config, kind, patch.ThreeWayOptions{Options: patch.Options{Engine: engine}})
	if err != nil || p.Len() == 0 {
		return nil, err
	}
	r := &Request{Verb: Patch, Format: MergePatch, Document: &document.Document{Root: p}}
	if patchType == patch.TypeStrategic {
		r.Format = StrategicPatch
	}
	return r, nil
}
