package cluster

import (
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A DefinitionCache keeps CustomResourceDefinitions that clusters have read. Clusters
// over forks of one store hold the same objects, and reading a definition of some 300 KB
// takes longer than most requests. The zero value is ready to use, by several clusters at
// once.
type DefinitionCache struct {
	mu   sync.Mutex
	last map[string]readDefinition // by name
}

// readDefinition is what a definition was read as, and the object that it was read from.
type readDefinition struct {
	from document.Value
	crd  *schema.CRD
}

// read returns a definition; that of the object read last of its name where it is the
// same one. With a nil cache it always reads.
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
