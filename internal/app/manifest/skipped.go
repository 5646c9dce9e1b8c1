package manifest

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Skipped is a document in a folder that is not sent to an API server, or the templates of a chart.
type Skipped struct {
	// Position is that of the document; only the name of the folder if it has the templates of a chart.
	Position document.Position
	Reason   Reason
	// Type is the apiVersion and kind of a Configuration.
	Type string
}

// Reason is the reason why a document in a folder is skipped.
type Reason int

const (
	// NoObject is a document without apiVersion or kind, such as the values of a chart or a workflow.
	NoObject Reason = iota
	// Configuration is a document of a kind that no API server can have, such as the configuration of a
	// kubelet or a kubeconfig.
	Configuration
	// Kustomization is an input of kustomize with its own name or kind.
	Kustomization
	// KustomizeInput is a document in a file that a kustomization names as a patch, or as another input
	// that is not a resource. Most patches look like objects.
	KustomizeInput
	// UnusedPatch is a document in a file that is a patch by its name, beside a kustomization that does not name it,
	// such as those that kubebuilder generates for later use.
	UnusedPatch
	// Encrypted is a document that SOPS has encrypted, which is sent to an API server after its decryption.
	Encrypted
	// ChartTemplates is a folder with the templates of a chart.
	ChartTemplates
)

// skippedAs returns why a document of a folder is skipped. One that lacks only its apiVersion or kind, but has
// metadata, is not skipped, because that is a mistake in a manifest.
func skippedAs(d *document.Document) (Reason, bool) {
	v := d.Root
	kind, version := v.Get("kind").Exists(), v.Get("apiVersion").Exists()
	switch {
	case kind && version && isEncrypted(v):
		return Encrypted, true
	case kind && version:
		return Configuration, isConfiguration(v)
	}
	return NoObject, !kind && !version || !v.Get("metadata").Exists()
}

// isEncrypted reports whether SOPS has encrypted a document, which then has the code that authenticates it.
func isEncrypted(v document.Value) bool {
	return strings.HasPrefix(v.Lookup("sops", "mac").StringOr(""), "ENC[")
}

// IsEncrypted reports whether SOPS has encrypted the document of an object.
func (o Object) IsEncrypted() bool { return isEncrypted(o.Document.Root) }

// IsKustomization reports whether a document is an input of kustomize with a kind of its own, or has no kind and is in
// a file with a name of a kustomization.
func IsKustomization(d *document.Document) bool {
	if version := d.Root.Get("apiVersion"); version.Exists() {
		return strings.HasPrefix(version.StringOr(""), "kustomize.config.k8s.io/")
	}
	name := filepath.Base(d.PositionOf(nil).Name)
	return name == "kustomization.yaml" || name == "kustomization.yml"
}

// isConfiguration reports whether a document with apiVersion and kind is the configuration of a program, of a kind that
// no API server can have. Each object has metadata, and the group of a CustomResourceDefinition contains a dot. A
// document with the kind of a built-in one is a manifest with a mistake.
func isConfiguration(v document.Value) bool {
	group, version, ok := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	if !ok {
		return false
	}
	if group == "patchlab.dev" { // the output of a command, such as a refusal, which the commands report
		return false
	}
	kind := v.Get("kind").StringOr("")
	if _, isList := list(v); !v.Get("metadata").Exists() && !isList {
		return !builtin().kinds[schema.GroupVersionKind{Group: group, Kind: kind}]
	}
	custom := strings.Contains(group, ".") || builtin().groups[group] && (group != "" || version == "v1")
	return !custom && !builtin().names[kind]
}

// builtinKinds are the built-in kinds of all groups, without their versions.
type builtinKinds struct {
	kinds         map[schema.GroupVersionKind]bool
	groups, names map[string]bool
}

var builtin = sync.OnceValue(func() builtinKinds {
	b := builtinKinds{map[schema.GroupVersionKind]bool{}, map[string]bool{}, map[string]bool{}}
	catalog, err := schema.Builtin(schema.DefaultVersion)
	if err != nil {
		return b
	}
	for k := range schema.NewRegistry(catalog).Kinds() {
		b.kinds[schema.GroupVersionKind{Group: k.Group, Kind: k.Kind}] = true
		b.groups[k.Group], b.names[k.Kind] = true, true
	}
	return b
})

// kustomized has what the kustomizations among documents name, by paths with slashes.
type kustomized struct {
	// inputs are files that are no resources; resources, which are files and folders, may also be inputs.
	inputs, resources map[string]bool
	// folders are those of the kustomizations.
	folders map[string]bool
}

func kustomizedBy(docs []*document.Document) kustomized {
	k := kustomized{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, d := range docs {
		if !IsKustomization(d) {
			continue
		}
		folder := path.Dir(slashed(d))
		k.folders[folder] = true
		for _, name := range kustomizeFiles(d.Root) {
			k.inputs[path.Join(folder, name)] = true
		}
		for _, field := range [...]string{"resources", "bases"} {
			for _, name := range d.Root.Get(field).Items() {
				k.resources[path.Join(folder, name.StringOr(""))] = true
			}
		}
	}
	return k
}

// slashed returns the path of a document's file with slashes on every operating system, as kustomizations have it.
func slashed(d *document.Document) string {
	return path.Clean(filepath.ToSlash(d.PositionOf(nil).Name))
}

// skippedAs returns why a document is skipped that is not a kustomization.
func (k kustomized) skippedAs(d *document.Document) (Reason, bool) {
	file := slashed(d)
	folder := path.Dir(file)
	switch {
	case k.resources[file]:
		return 0, false
	case k.inputs[file]:
		return KustomizeInput, true
	case k.folders[folder] && hasPatchName(path.Base(file)):
		return UnusedPatch, true
	}
	return UnusedPatch, path.Base(folder) == "patches" && (k.folders[folder] || k.folders[path.Dir(folder)])
}

// hasPatchName reports whether a word in the name of a file is "patch", as in manager_auth_proxy_patch.yaml.
func hasPatchName(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return slices.Contains(words, "patch")
}

// kustomizeFiles returns the names in the fields of a kustomization that are files with patches, generators and
// contents of ConfigMaps and Secrets. An item that is not a name, such as a patch in the kustomization itself, is
// no name of a file either.
func kustomizeFiles(v document.Value) []string {
	var names []string
	for _, field := range [...]string{"patchesStrategicMerge", "generators", "transformers", "validators", "configurations"} {
		for _, item := range v.Get(field).Items() {
			names = append(names, item.StringOr(""))
		}
	}
	for _, field := range [...]string{"patches", "patchesJson6902", "replacements"} {
		for _, item := range v.Get(field).Items() {
			names = append(names, item.Get("path").StringOr(""), item.StringOr("")) // the latter in old versions
		}
	}
	for _, field := range [...]string{"configMapGenerator", "secretGenerator"} {
		for _, item := range v.Get(field).Items() {
			for _, file := range item.Get("files").Items() {
				name := file.StringOr("")
				if _, value, keyed := strings.Cut(name, "="); keyed {
					name = value
				}
				names = append(names, name)
			}
		}
	}
	return names
}
