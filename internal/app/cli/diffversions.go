package cli

import (
	"os"
	"path/filepath"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// versionsOfFolder are the two folders of a diff that compares two versions of the same manifests, such as those
// before and after a commit. A folder of manifests can have several objects of one name, for example one in each
// overlay, which are compared by their files.
type versionsOfFolder struct {
	from, to string
	// counterparts has, for each object of TO whose name several objects have, that of FROM, or none.
	// The keys are positions.
	counterparts map[string]documents
	// several are the positions of the objects of FROM whose name several objects have, and whether
	// TO has a counterpart.
	several map[string]bool
}

// foldersOf returns the two folders that FROM and TO name, nil if not both are folders.
func foldersOf(f *inputFlags) *versionsOfFolder {
	if f.kustomize != "" || len(f.files) != 1 || !isFolder(f.live) || !isFolder(f.files[0]) {
		return nil
	}
	return &versionsOfFolder{from: f.live, to: f.files[0]}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sameName identifies objects that an API server could not have at once.
type sameName struct{ group, kind, namespace, name string }

func sameNameOf(o manifest.Object) sameName {
	group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
	return sameName{group, o.Kind(), namespaceOf(o), o.Value.Lookup("metadata", "name").StringOr("")}
}

// pair finds the counterparts of the objects whose name several objects of a folder have: the one in the
// file of the same name in the other folder, or else the next one that has none.
func (v *versionsOfFolder) pair(from, to documents) {
	v.counterparts, v.several = map[string]documents{}, map[string]bool{}
	before, after := byName(from), byName(to)
	several := func(name sameName) bool {
		return name.kind != "" && name.name != "" && (len(before[name]) > 1 || len(after[name]) > 1)
	}
	for name, had := range before {
		for _, o := range had {
			if several(name) {
				v.several[o.Position().String()] = false
			}
		}
	}
	for name, wanted := range after {
		if !several(name) {
			continue
		}
		unpaired := map[string][]manifest.Object{} // of FROM, by their files
		for _, o := range before[name] {
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
		for _, other := range before[name] {
			if len(moved) > 0 && !v.several[other.Position().String()] {
				v.pairOne(moved[0], other)
				moved = moved[1:]
			}
		}
		for _, o := range moved {
			v.counterparts[o.Position().String()] = nil
		}
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
		name := sameNameOf(o)
		found[name] = append(found[name], o)
	}
	return found
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
	if !inTo && !inFrom {
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
