package cli

import "github.com/patchlab-dev/patchlab/document"

// unified prints the unified diff of an object of FROM and TO, one of which is absent if only the other side has the
// object.
func (d *differing) unified(r row, before, after document.Value) {
	shown := outputFlags{showSecrets: d.o.showSecrets}
	before, after = shown.compared(before, after)
	name := fileName(r.target)
	if r.file != "" { // of several objects of the same name
		name += "\t" + oneLine(r.file)
	}
	d.app.print(shownDiff(unified("from/"+name, "to/"+name, yamlText(before), yamlText(after)), d.o.color.on(d.app.Out)))
}
