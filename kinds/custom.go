package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// customStrategy returns the strategy of a custom resource
// (apiextensions-apiserver/pkg/registry/customresource).
func customStrategy(k *schema.Kind) *Strategy {
	s := &Strategy{
		Group:          k.Group,
		Resource:       k.Resource,
		Storage:        k.Group + "/" + k.Resource,
		Name:           subdomainName,
		Generation:     []string{"!metadata"},
		RequireVersion: true,
		Embedded:       k.Embeds(),
		Repeats:        true,
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
