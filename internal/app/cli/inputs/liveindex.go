package inputs

import (
	"os"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// LiveIndex finds objects by their names: the live objects that a manifest may correspond to, so that each
// manifest is compared with a few of them only, or the manifests of an object.
type LiveIndex struct {
	All    Documents
	ByName map[[2]string]Documents // by kind and name
	// named has the objects by kind, name and namespace: a dump of a cluster can have an object
	// of one name in each namespace.
	named map[[3]string]Documents
	// owned is the first object with managedFields, if any.
	owned Documents
}

// IndexLive indexes live objects.
func IndexLive(live Documents) *LiveIndex {
	x := &LiveIndex{All: live, ByName: map[[2]string]Documents{}, named: map[[3]string]Documents{}}
	for _, o := range live.Objects() {
		d := o.Document
		if len(o.At) > 0 { // items of a List
			d = &document.Document{Root: o.Value}
		}
		name := NameOfObject(o)
		x.ByName[name] = append(x.ByName[name], d)
		in := [3]string{name[0], name[1], NamespaceOf(o)}
		x.named[in] = append(x.named[in], d)
		if len(x.owned) == 0 && hasManagers(o) {
			x.owned = Documents{d}
		}
	}
	return x
}

func hasManagers(o manifest.Object) bool {
	return o.Value.Lookup("metadata", "managedFields").Len() > 0
}

// NameOfObject returns the kind and name of an object.
func NameOfObject(o manifest.Object) [2]string {
	return [2]string{o.Kind(), o.Value.Lookup("metadata", "name").StringOr("")}
}

// NamespaceOf returns the namespace that an object states.
func NamespaceOf(o manifest.Object) string {
	return o.Value.Lookup("metadata", "namespace").StringOr("")
}

// Candidates returns the live objects with a manifest's kind and name, of which only those in its
// namespace if there are any. If none has the kind and name, it returns any live object: the result is
// empty only if there is no live object. If none of the objects has managedFields, one of another name that has
// them is returned as well, so that the caller knows that managedFields were not omitted.
func (x *LiveIndex) Candidates(o manifest.Object) Documents {
	name := NameOfObject(o)
	if namespace := NamespaceOf(o); namespace != "" {
		if found := x.named[[3]string{name[0], name[1], namespace}]; len(found) > 0 {
			return x.withManagers(found)
		}
	}
	if found := x.ByName[name]; len(found) > 0 || len(x.All) == 0 {
		return x.withManagers(found)
	}
	if name[0] == "" || name[1] == "" { // matched by other means
		return x.All
	}
	return x.All[:1]
}

func (x *LiveIndex) withManagers(found Documents) Documents {
	if len(x.owned) == 0 || slices.ContainsFunc(found.Objects(), hasManagers) {
		return found
	}
	return append(found[:len(found):len(found)], x.owned...)
}

// noteShadowed reports that LIVE is read from a file or folder although its name is also that of an
// object of a built-in kind in a cluster, such as deploy/web.
func noteShadowed(a *program.App, name string) {
	info, err := os.Stat(name)
	if err != nil || !resourceName.MatchString(name) {
		return
	}
	what := "file"
	if info.IsDir() {
		what = "folder"
	}
	resource, object, _ := strings.Cut(name, "/")
	if other := otherName(resource); other != "" {
		a.Note(name + " is a local " + what + ", which is read instead of the object of a cluster; use " + other + "/" + object + " for the object, or ./" + name + " for the " + what)
	}
}

// otherName returns another name for a built-in kind, "" if there is no kind with the name.
func otherName(resource string) string {
	catalog, err := schema.Builtin(schema.DefaultVersion)
	if err != nil {
		return ""
	}
	for k := range schema.NewRegistry(catalog).Kinds() {
		switch {
		case k.Resource == "" || !IsNamed(k, resource):
		case k.Group != "":
			return k.Resource + "." + k.Group
		case resource == k.Resource:
			return k.Singular
		default:
			return k.Resource
		}
	}
	return ""
}
