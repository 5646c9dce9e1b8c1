package cli

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// keepers are the clients that do not delete an object with an annotation although its manifest is removed. kubectl
// has none.
var keepers = []struct {
	client, annotation, value string
	// listed reports that the annotation is a list of options.
	listed bool
}{
	{"Helm", "helm.sh/resource-policy", "keep", false},
	{"Argo CD", "argocd.argoproj.io/sync-options", "Prune=false", true},
	{"Flux", "kustomize.toolkit.fluxcd.io/prune", "disabled", false},
}

// kept collects the removed objects that a client does not delete.
type kept struct {
	names [3][]string // for each of keepers
}

// add adds a removed object with its name for messages.
func (k *kept) add(name string, object document.Value) {
	annotations := object.Lookup("metadata", "annotations")
	for i, c := range keepers {
		text := annotations.Get(c.annotation).StringOr("")
		options := []string{text}
		if c.listed {
			options = strings.Split(text, ",")
		}
		if slices.ContainsFunc(options, func(option string) bool { return strings.TrimSpace(option) == c.value }) {
			k.names[i] = append(k.names[i], name)
		}
	}
}

// note reports the objects.
func (k *kept) note(app *program.App) {
	const most = 10
	for i, names := range k.names {
		c := keepers[i]
		switch n := len(names); {
		case n == 1:
			app.Note(c.client + " does not delete " + names[0] + ", which has the annotation " + c.annotation + ": " + c.value)
		case n > 1:
			list := strings.Join(names[:min(n, most)], ", ")
			if n > most {
				list += " and " + terminal.Count(n-most, "other", "others")
			}
			app.Note(c.client + " does not delete " + list + ", which have the annotation " + c.annotation + ": " + c.value)
		}
	}
}

// dependents collects the objects whose deletion deletes others that no manifest may have.
type dependents struct {
	namespaces, definitions []string // their names
}

func (d *dependents) add(object manifest.Object) {
	name := object.Value.Lookup("metadata", "name").StringOr("")
	switch of := inputs.SameNameOf(object); {
	case of.Group == "" && of.Kind == "Namespace":
		d.namespaces = append(d.namespaces, name)
	case object.IsCRD():
		d.definitions = append(d.definitions, name)
	}
}

// warn reports what their deletion deletes; from is where they are deleted.
func (d *dependents) warn(app *program.App, from string) {
	warning := func(kind string, names []string, one, many string) {
		what, also := kind, one
		if len(names) > 1 {
			what, also = kind+"s", many
		}
		if len(names) > 0 {
			app.Note("Warning: the deletion of the " + what + " " + strings.Join(names, ", ") + from + " deletes all objects " + also)
		}
	}
	warning("Namespace", d.namespaces, "in it", "in them")
	warning("CustomResourceDefinition", d.definitions, "of its kind", "of their kinds")
}
