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
	text := readable(unified("from/"+name, "to/"+name, yamlText(before), yamlText(after)))
	if d.o.color.on(d.app.Out) {
		text = colorDiff(text)
	}
	d.app.print(text)
}

// yamlText returns an object as YAML, "" if it is absent.
func yamlText(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	return string(v.YAML())
}
