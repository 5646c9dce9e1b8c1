package cli

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
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
func (k *kept) note(app *App) {
	const most = 10
	for i, names := range k.names {
		c := keepers[i]
		switch n := len(names); {
		case n == 1:
			app.note(c.client + " does not delete " + names[0] + ", which has the annotation " + c.annotation + ": " + c.value)
		case n > 1:
			list := strings.Join(names[:min(n, most)], ", ")
			if n > most {
				list += " and " + count(n-most, "other", "others")
			}
			app.note(c.client + " does not delete " + list + ", which have the annotation " + c.annotation + ": " + c.value)
		}
	}
}
