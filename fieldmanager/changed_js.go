//go:build js

package fieldmanager

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// take returns what an update has taken: in a browser, no equal fields count as changed.
func (m *Manager) take(_ *structured.Types, _ []document.Path, entries []entry, taken fieldset.Set) ([]entry, fieldset.Set) {
	return entries, taken
}
