package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// versionsOfFolder are the two folders of a diff that compares two versions of the same manifests, such as those
// before and after a commit. A folder of manifests can have several objects of one name, for example one in each
// overlay, which are compared by their files.
type versionsOfFolder struct {
	from, to string
	// built reports whether the folders are kustomizations, which are built.
	built bool
	// counterparts has, for each object of TO whose name several objects have, that of FROM, or none.
	// The keys are positions.
	counterparts map[string]documents
	// several are the positions of the objects of FROM whose name several objects have, and whether
	// TO has a counterpart.
	several map[string]bool
	// before has the objects of FROM, and redefined the kinds whose CustomResourceDefinition differs in TO.
	before    map[sameName][]manifest.Object
	redefined map[schema.GroupVersionKind]bool
	// skipped and unread are the files of both folders that were skipped, or cannot be parsed.
	skipped []manifest.Skipped
	unread  []unreadFile
}

// unreadFile is a file that cannot be parsed.
type unreadFile struct {
	name string
	err  error
}

// foldersOf returns the two folders that FROM and TO name, nil if not both are folders. One that does not exist is an
// empty one, as for the manifests of a new application. If TO is a kustomization, FROM may be another version of it.
func foldersOf(f *inputFlags) *versionsOfFolder {
	switch {
	case f.kustomize != "" && (hasKustomization(f.live) || isMissingFolder(f.live) && isFolder(f.kustomize)):
		return &versionsOfFolder{from: f.live, to: f.kustomize, built: true}
	case f.kustomize != "" || len(f.files) != 1:
		return nil
	}
	from, to := f.live, f.files[0]
	if !isFolder(from) && !isFolder(to) || !isFolder(from) && !isMissingFolder(from) || !isFolder(to) && !isMissingFolder(to) {
		return nil
	}
	return &versionsOfFolder{from: from, to: to}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// hasKustomization reports whether a folder has a kustomization, which can be built.
func hasKustomization(folder string) bool {
	return slices.ContainsFunc([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, func(name string) bool {
		return folder != "" && exists(filepath.Join(folder, name))
	})
}

// readVersion reads one of two kustomizations.
func (v *versionsOfFolder) readVersion(ctx context.Context, a *App, folder string) (documents, error) {
	if isMissingFolder(folder) {
		a.noteMissing(folder)
		return nil, nil
	}
	return a.kustomize(ctx, folder)
}

// noteMissing reports a folder that does not exist.
func (a *App) noteMissing(folder string) {
	a.note("the folder " + folder + " does not exist, and is compared as an empty one")
}

// isMissingFolder reports whether a name can be that of a folder in one that exists. A single name is more likely
// misspelled, and one that begins with a kind is an object of a cluster.
func isMissingFolder(name string) bool {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) || name == "" || strings.ContainsAny(name, "*?[") || filepath.Ext(name) != "" {
		return false
	}
	if kind, _, _ := strings.Cut(name, "/"); isResource(name) && otherName(kind) != "" {
		return false
	}
	for dir := filepath.Dir(filepath.Clean(name)); dir != filepath.Dir(dir) && dir != "."; dir = filepath.Dir(dir) {
		if isFolder(dir) {
			return true
		}
	}
	return false
}

// sameName identifies objects that an API server could not have at once.
type sameName struct {
	group, kind, namespace, name string
	// generated reports whether the name is the beginning of one that the API server generates.
	generated bool
}

func sameNameOf(o manifest.Object) sameName {
	group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
	return sameName{group: group, kind: o.Kind(), namespace: namespaceOf(o), name: o.Value.Lookup("metadata", "name").StringOr("")}
}

// versionNameOf returns the name by which the versions of a manifest are found: objects with a generated name have
// their generateName.
func versionNameOf(o manifest.Object) sameName {
	name := sameNameOf(o)
	if name.name == "" {
		name.name, name.generated = o.Value.Lookup("metadata", "generateName").StringOr(""), true
	}
	return name
}

// pair finds the counterparts of the objects whose name several objects of a folder have.
func (v *versionsOfFolder) pair(from, to documents) {
	v.counterparts, v.several = map[string]documents{}, map[string]bool{}
	before, after := byName(from), byName(to)
	v.before, v.redefined = before, redefinedIn(before, after)
	several := severalOf(before, after)
	for name, had := range before {
		for _, o := range had {
			if several(name) {
				v.several[o.Position().String()] = false
			}
		}
	}
	for name, wanted := range after {
		if several(name) {
			v.pairByFile(before[name], wanted)
		}
	}
}

// severalOf returns a function that reports whether the objects of a name have to be paired: several
// objects of one folder have it, or it is generated. An object without a namespace is a version of one
// that has a namespace only if this is the only one, and TO does not have it.
func severalOf(before, after map[sameName][]manifest.Object) func(sameName) bool {
	number, paired := map[sameName]int{}, map[sameName]bool{} // of the objects of FROM, by names without a namespace
	for name := range before {
		without := name
		without.namespace = ""
		number[without]++
		if name.namespace != "" && len(after[name]) > 0 {
			paired[without] = true
		}
	}
	return func(name sameName) bool {
		return name.kind != "" && name.name != "" && (len(before[name]) > 1 || len(after[name]) > 1 || name.generated ||
			name.namespace == "" && (number[name] > 1 || paired[name]))
	}
}

// pairByFile pairs objects of one name in FROM and TO: each of TO with the one in the file of the same
// name in the other folder, or else with the next one that has no counterpart.
func (v *versionsOfFolder) pairByFile(had, wanted []manifest.Object) {
	unpaired := map[string][]manifest.Object{} // of FROM, by their files
	for _, o := range had {
		file := fileWithin(v.from, o)
		unpaired[file] = append(unpaired[file], o)
	}
	var moved []manifest.Object
	for _, o := range wanted {
		file := fileWithin(v.to, o)
		if same := unpaired[file]; len(same) > 0 {
			v.pairOne(o, same[0])
			unpaired[file] = same[1:]
		} else {
			moved = append(moved, o)
		}
	}
	for _, other := range had {
		if len(moved) > 0 && !v.several[other.Position().String()] {
			v.pairOne(moved[0], other)
			moved = moved[1:]
		}
	}
	for _, o := range moved {
		v.counterparts[o.Position().String()] = nil
	}
}

// pairOne makes an object of FROM the counterpart of one of TO.
func (v *versionsOfFolder) pairOne(o, other manifest.Object) {
	v.several[other.Position().String()] = true
	v.counterparts[o.Position().String()] = documents{asOneObject(other)}
}

// fileWithin returns the name of an object's file in a folder.
func fileWithin(folder string, o manifest.Object) string {
	name := o.Position().Name
	if within, err := filepath.Rel(folder, name); err == nil {
		return within
	}
	return name
}

func byName(docs documents) map[sameName][]manifest.Object {
	found := map[sameName][]manifest.Object{}
	for _, o := range docs.objects() {
		name := versionNameOf(o)
		found[name] = append(found[name], o)
	}
	return found
}

// redefinedIn returns the kinds of which not both versions have the same CustomResourceDefinition.
func redefinedIn(before, after map[sameName][]manifest.Object) map[schema.GroupVersionKind]bool {
	redefined := map[schema.GroupVersionKind]bool{}
	for _, version := range [...][2]map[sameName][]manifest.Object{{before, after}, {after, before}} {
		for name, definitions := range version[0] {
			for _, o := range definitions {
				same := slices.ContainsFunc(version[1][name], func(other manifest.Object) bool { return document.Equal(o.Value, other.Value) })
				if o.IsCRD() && !same {
					redefined[schema.GroupVersionKind{Group: o.Value.Lookup("spec", "group").StringOr(""), Kind: o.Value.Lookup("spec", "names", "kind").StringOr("")}] = true
				}
			}
		}
	}
	return redefined
}

// versionBefore returns the manifest of FROM that an object of TO is a version of.
func (v *versionsOfFolder) versionBefore(o manifest.Object) (before manifest.Object, found bool) {
	if counterpart, several := v.counterpart(o); several {
		if len(counterpart) == 0 {
			return manifest.Object{}, false
		}
		return manifest.Object{Value: counterpart[0].Root, Document: counterpart[0]}, true
	}
	same := v.before[versionNameOf(o)]
	if len(same) == 0 {
		return manifest.Object{}, false
	}
	return same[0], true
}

// unchanged reports whether both folders have the same manifest, and the same definition of its kind.
func (v *versionsOfFolder) unchanged(o manifest.Object) bool {
	if v == nil {
		return false
	}
	before, found := v.versionBefore(o)
	name := sameNameOf(o)
	return found && document.Equal(before.Value, o.Value) && !v.redefined[schema.GroupVersionKind{Group: name.group, Kind: name.kind}]
}

// counterpart returns the object of FROM that an object of TO is compared with, if several have its name. It
// returns none for an object that FROM has less often.
func (v *versionsOfFolder) counterpart(o manifest.Object) (found documents, several bool) {
	if v == nil {
		return nil, false
	}
	found, several = v.counterparts[o.Position().String()]
	return found, several
}

// fileOf returns the name of an object's file in FROM or TO, by which the summary distinguishes objects of one name.
// It is "" if the name is the object's alone.
func (v *versionsOfFolder) fileOf(folder string, o manifest.Object) string {
	_, inTo := v.counterpart(o)
	_, inFrom := v.removed(o)
	if !inTo && !inFrom || v.built {
		return ""
	}
	return fileWithin(folder, o)
}

// removed reports whether TO has no counterpart of an object of FROM whose name several objects have.
func (v *versionsOfFolder) removed(o manifest.Object) (removed, several bool) {
	if v == nil {
		return false, false
	}
	paired, several := v.several[o.Position().String()]
	return !paired, several
}
