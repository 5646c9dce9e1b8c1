package cli

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// dependents collects the objects whose deletion deletes others that no manifest may have.
type dependents struct {
	namespaces, definitions []string // their names
}

func (d *dependents) add(object manifest.Object) {
	name := object.Value.Lookup("metadata", "name").StringOr("")
	switch of := sameNameOf(object); {
	case of.group == "" && of.kind == "Namespace":
		d.namespaces = append(d.namespaces, name)
	case object.IsCRD():
		d.definitions = append(d.definitions, name)
	}
}

// warn reports what their deletion deletes; from is where they are deleted.
func (d *dependents) warn(app *App, from string) {
	warning := func(kind string, names []string, one, many string) {
		what, also := kind, one
		if len(names) > 1 {
			what, also = kind+"s", many
		}
		if len(names) > 0 {
			app.note("Warning: the deletion of the " + what + " " + strings.Join(names, ", ") + from + " deletes all objects " + also)
		}
	}
	warning("Namespace", d.namespaces, "in it", "in them")
	warning("CustomResourceDefinition", d.definitions, "of its kind", "of their kinds")
}
