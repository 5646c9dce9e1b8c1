package cluster

import (
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A DefinitionCache holds parsed CustomResourceDefinitions. Clusters over forks of one store
// share the definition objects, and parsing a definition of 300 KB takes longer than most
// requests. The zero value is an empty cache. It is safe for concurrent use.
type DefinitionCache struct {
	mu   sync.Mutex
	last map[string]readDefinition // by name of the definition
}

// readDefinition is a parsed definition with the object that it was parsed from.
type readDefinition struct {
	from document.Value
	crd  *schema.CRD
}

// read returns the parsed definition, from the cache if the object read last under this name
// is the same. A nil cache always parses.
func (d *DefinitionCache) read(name string, object document.Value) (*schema.CRD, error) {
	if d == nil {
		return schema.FromCRD(object)
	}
	d.mu.Lock()
	known, ok := d.last[name]
	d.mu.Unlock()
	if ok && document.SameNode(known.from, object) {
		return known.crd, nil
	}
	crd, err := schema.FromCRD(object)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last = map[string]readDefinition{}
	}
	d.last[name] = readDefinition{object, crd}
	return crd, nil
}
