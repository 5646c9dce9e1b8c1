package inputs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// VersionsOfFolder are the two folders of a diff that compares two versions of the same manifests, such as those
// before and after a commit. A folder of manifests can have several objects of one name, for example one in each
// overlay, which are compared by their files.
type VersionsOfFolder struct {
	From, To string
	// built reports whether the folders are kustomizations, which are built.
	built bool
	// counterparts has, for each object of TO whose name several objects have, that of FROM, or none.
	// The keys are positions.
	counterparts map[string]Documents
	// several are the positions of the objects of FROM whose name several objects have, and whether
	// TO has a counterpart.
	several map[string]bool
	// before has the objects of FROM, and redefined the kinds whose CustomResourceDefinition differs in TO.
	before    map[SameName][]manifest.Object
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

// FoldersOf returns the two folders that FROM and TO name, nil if not both are folders. One that does not exist is an
// empty one, as for the manifests of a new application. If TO is a kustomization, FROM may be another version of it.
func FoldersOf(f *Flags) *VersionsOfFolder {
	switch {
	case f.Kustomize != "" && (hasKustomization(f.Live) || isMissingFolder(f.Live) && isFolder(f.Kustomize)):
		return &VersionsOfFolder{From: f.Live, To: f.Kustomize, built: true}
	case f.Kustomize != "" || len(f.Files) != 1:
		return nil
	}
	from, to := f.Live, f.Files[0]
	if !isFolder(from) && !isFolder(to) || !isFolder(from) && !isMissingFolder(from) || !isFolder(to) && !isMissingFolder(to) {
		return nil
	}
	return &VersionsOfFolder{From: from, To: to}
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
func (v *VersionsOfFolder) readVersion(ctx context.Context, a *program.App, folder string) (Documents, error) {
	if isMissingFolder(folder) {
		noteMissing(a, folder)
		return nil, nil
	}
	return BuildKustomization(ctx, folder)
}

// noteMissing reports a folder that does not exist.
func noteMissing(a *program.App, folder string) {
	a.Note("the folder " + folder + " does not exist, and is compared as an empty one")
}

// isMissingFolder reports whether a name can be that of a folder in one that exists. A single name is more likely
// misspelled, and one that begins with a kind is an object of a cluster.
func isMissingFolder(name string) bool {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) || name == "" || strings.ContainsAny(name, "*?[") || filepath.Ext(name) != "" {
		return false
	}
	if kind, _, _ := strings.Cut(name, "/"); IsResource(name) && otherName(kind) != "" {
		return false
	}
	for dir := filepath.Dir(filepath.Clean(name)); dir != filepath.Dir(dir) && dir != "."; dir = filepath.Dir(dir) {
		if isFolder(dir) {
			return true
		}
	}
	return false
}

// SameName identifies objects that an API server could not have at once.
type SameName struct {
	Group, Kind, namespace, name string
	// generated reports whether the name is the beginning of one that the API server generates.
	generated bool
}

// SameNameOf returns the name of an object.
func SameNameOf(o manifest.Object) SameName {
	group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
	return SameName{Group: group, Kind: o.Kind(), namespace: NamespaceOf(o), name: o.Value.Lookup("metadata", "name").StringOr("")}
}

// versionNameOf returns the name by which the versions of a manifest are found: objects with a generated name have
// their generateName.
func versionNameOf(o manifest.Object) SameName {
	name := SameNameOf(o)
	if name.name == "" {
		name.name, name.generated = o.Value.Lookup("metadata", "generateName").StringOr(""), true
	}
	return name
}

// Pair finds the counterparts of the objects whose name several objects of a folder have.
func (v *VersionsOfFolder) Pair(from, to Documents) {
	v.counterparts, v.several = map[string]Documents{}, map[string]bool{}
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
func severalOf(before, after map[SameName][]manifest.Object) func(SameName) bool {
	number, paired := map[SameName]int{}, map[SameName]bool{} // of the objects of FROM, by names without a namespace
	for name := range before {
		without := name
		without.namespace = ""
		number[without]++
		if name.namespace != "" && len(after[name]) > 0 {
			paired[without] = true
		}
	}
	return func(name SameName) bool {
		return name.Kind != "" && name.name != "" && (len(before[name]) > 1 || len(after[name]) > 1 || name.generated ||
			name.namespace == "" && (number[name] > 1 || paired[name]))
	}
}

// pairByFile pairs objects of one name in FROM and TO: each of TO with the one in the file of the same
// name in the other folder, or else with the next one that has no counterpart.
func (v *VersionsOfFolder) pairByFile(had, wanted []manifest.Object) {
	unpaired := map[string][]manifest.Object{} // of FROM, by their files
	for _, o := range had {
		file := fileWithin(v.From, o)
		unpaired[file] = append(unpaired[file], o)
	}
	var moved []manifest.Object
	for _, o := range wanted {
		file := fileWithin(v.To, o)
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
func (v *VersionsOfFolder) pairOne(o, other manifest.Object) {
	v.several[other.Position().String()] = true
	v.counterparts[o.Position().String()] = Documents{AsOneObject(other)}
}

// fileWithin returns the name of an object's file in a folder.
func fileWithin(folder string, o manifest.Object) string {
	name := o.Position().Name
	if within, err := filepath.Rel(folder, name); err == nil {
		return within
	}
	return name
}

func byName(docs Documents) map[SameName][]manifest.Object {
	found := map[SameName][]manifest.Object{}
	for _, o := range docs.Objects() {
		name := versionNameOf(o)
		found[name] = append(found[name], o)
	}
	return found
}

// redefinedIn returns the kinds of which not both versions have the same CustomResourceDefinition.
func redefinedIn(before, after map[SameName][]manifest.Object) map[schema.GroupVersionKind]bool {
	redefined := map[schema.GroupVersionKind]bool{}
	for _, version := range [...][2]map[SameName][]manifest.Object{{before, after}, {after, before}} {
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

// VersionBefore returns the manifest of FROM that an object of TO is a version of.
func (v *VersionsOfFolder) VersionBefore(o manifest.Object) (before manifest.Object, found bool) {
	if counterpart, several := v.Counterpart(o); several {
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

// Unchanged reports whether both folders have the same manifest, and the same definition of its kind.
func (v *VersionsOfFolder) Unchanged(o manifest.Object) bool {
	if v == nil {
		return false
	}
	before, found := v.VersionBefore(o)
	name := SameNameOf(o)
	return found && document.Equal(before.Value, o.Value) && !v.redefined[schema.GroupVersionKind{Group: name.Group, Kind: name.Kind}]
}

// Counterpart returns the object of FROM that an object of TO is compared with, if several have its name. It
// returns none for an object that FROM has less often.
func (v *VersionsOfFolder) Counterpart(o manifest.Object) (found Documents, several bool) {
	if v == nil {
		return nil, false
	}
	found, several = v.counterparts[o.Position().String()]
	return found, several
}

// FileOf returns the name of an object's file in FROM or TO, by which the summary distinguishes objects of one name.
// It is "" if the name is the object's alone.
func (v *VersionsOfFolder) FileOf(folder string, o manifest.Object) string {
	_, inTo := v.Counterpart(o)
	_, inFrom := v.Removed(o)
	if !inTo && !inFrom || v.built {
		return ""
	}
	return fileWithin(folder, o)
}

// Removed reports whether TO has no counterpart of an object of FROM whose name several objects have.
func (v *VersionsOfFolder) Removed(o manifest.Object) (removed, several bool) {
	if v == nil {
		return false, false
	}
	paired, several := v.several[o.Position().String()]
	return !paired, several
}
