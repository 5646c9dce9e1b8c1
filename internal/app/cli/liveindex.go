package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// liveIndex finds objects by their names: the live objects that a manifest may correspond to, so that each
// manifest is compared with a few of them only, or the manifests of an object.
type liveIndex struct {
	all    documents
	byName map[[2]string]documents // by kind and name
	// named has the objects by kind, name and namespace: a dump of a cluster can have an object
	// of one name in each namespace.
	named map[[3]string]documents
	// owned is the first object with managedFields, if any.
	owned documents
}

func indexLive(live documents) *liveIndex {
	x := &liveIndex{all: live, byName: map[[2]string]documents{}, named: map[[3]string]documents{}}
	for _, o := range live.objects() {
		d := o.Document
		if len(o.At) > 0 { // items of a List
			d = &document.Document{Root: o.Value}
		}
		name := nameOfObject(o)
		x.byName[name] = append(x.byName[name], d)
		in := [3]string{name[0], name[1], namespaceOf(o)}
		x.named[in] = append(x.named[in], d)
		if len(x.owned) == 0 && hasManagers(o) {
			x.owned = documents{d}
		}
	}
	return x
}

func hasManagers(o manifest.Object) bool {
	return o.Value.Lookup("metadata", "managedFields").Len() > 0
}

func nameOfObject(o manifest.Object) [2]string {
	return [2]string{o.Kind(), o.Value.Lookup("metadata", "name").StringOr("")}
}

func namespaceOf(o manifest.Object) string {
	return o.Value.Lookup("metadata", "namespace").StringOr("")
}

// candidates returns the live objects with a manifest's kind and name, of which only those in its
// namespace if there are any. If none has the kind and name, it returns any live object: the result is
// empty only if there is no live object. If none of the objects has managedFields, one of another name that has
// them is returned as well, so that the caller knows that managedFields were not omitted.
func (x *liveIndex) candidates(o manifest.Object) documents {
	name := nameOfObject(o)
	if namespace := namespaceOf(o); namespace != "" {
		if found := x.named[[3]string{name[0], name[1], namespace}]; len(found) > 0 {
			return x.withManagers(found)
		}
	}
	if found := x.byName[name]; len(found) > 0 || len(x.all) == 0 {
		return x.withManagers(found)
	}
	if name[0] == "" || name[1] == "" { // matched by other means
		return x.all
	}
	return x.all[:1]
}

func (x *liveIndex) withManagers(found documents) documents {
	if len(x.owned) == 0 || slices.ContainsFunc(found.objects(), hasManagers) {
		return found
	}
	return append(found[:len(found):len(found)], x.owned...)
}

// noteShadowed reports that LIVE is read from a file or folder although its name is also that of an
// object of a built-in kind in a cluster, such as deploy/web.
func (a *App) noteShadowed(name string) {
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
		a.note(name + " is a local " + what + ", which is read instead of the object of a cluster; use " + other + "/" + object + " for the object, or ./" + name + " for the " + what)
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
		case k.Resource == "" || !isNamed(k, resource):
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
