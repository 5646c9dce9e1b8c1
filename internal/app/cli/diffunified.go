package cli

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// unified prints the unified diff of an object of FROM and TO, one of which is absent if only the other side has the
// object.
func (d *differing) unified(r results.Row, before, after document.Value) {
	shown := results.Flags{ShowSecrets: d.o.showSecrets}
	before, after = shown.Compared(before, after)
	name := results.FileName(r.Target)
	if r.File != "" { // of several objects of the same name
		name += "\t" + terminal.OneLine(r.File)
	}
	d.app.Print(results.ShownDiff(terminal.Unified("from/"+name, "to/"+name, results.YAMLText(before), results.YAMLText(after)), d.o.color.On(d.app.Out)))
}
