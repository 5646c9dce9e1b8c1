package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// customStrategy returns the strategy that every custom resource has
// (apiextensions-apiserver/pkg/registry/customresource).
func customStrategy(k *schema.Kind) *Strategy {
	s := &Strategy{
		Group:          k.Group,
		Resource:       k.Resource,
		Storage:        k.Group + "/" + k.Resource,
		Name:           subdomainName,
		Generation:     []string{"!metadata"},
		RequireVersion: true,
		Embedded:       hasEmbedded(k.Type()),
	}
	if k.Status {
		s.Reset = []string{"status"}
		s.ResetStatus = []string{"metadata", "spec"}
	}
	for _, path := range k.Selectable {
		s.Selectable = append(s.Selectable, SelectableField{Label: strings.TrimPrefix(path, ".")})
	}
	return s
}

// hasEmbedded reports whether a type contains whole objects
// (x-kubernetes-embedded-resource) below its root.
func hasEmbedded(root *schema.Type) bool {
	seen := map[*schema.Type]bool{}
	var look func(t *schema.Type) bool
	look = func(t *schema.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t.Embedded && t != root {
			return true
		}
		if t.List != nil && look(t.List.Elem) {
			return true
		}
		if t.Map == nil {
			return false
		}
		for i := range t.Map.Fields {
			if look(t.Map.Fields[i].Type) {
				return true
			}
		}
		return look(t.Map.Elem)
	}
	return look(root)
}
