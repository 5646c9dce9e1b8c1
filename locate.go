package patchlab

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// locator finds the positions of fields in a document.
type locator struct {
	object manifest.Object
	*structured.Indexer
}

func newLocator(o manifest.Object, t *schema.Type) *locator {
	return &locator{object: o, Indexer: structured.NewIndexer(t, o.Value)}
}

// locate returns the position of a field, or of its nearest parent that has one.
func (l *locator) locate(field document.Path) document.Position {
	return l.object.Locate(l.Indexed(field))
}
